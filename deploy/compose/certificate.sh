#!/bin/sh
# Makes a certificate to try things with, for localhost; browsers will warn of it.
set -eu
cd "$(dirname "$0")"
mkdir -p certificate
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 \
    -subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1 \
    -keyout certificate/privkey.pem -out certificate/fullchain.pem
