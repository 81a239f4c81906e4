"""Certificates of a minute's worth, for tests of TLS."""

import ssl
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from pathlib import Path
from typing import NamedTuple, Self

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    KeySerializationEncryption,
    NoEncryption,
    PrivateFormat,
)


class Pair(NamedTuple):
    """A certificate and its key, in files."""

    cert: Path
    key: Path

    @classmethod
    def make(cls, folder: Path, name: str, *, password: str = "") -> Self:
        """Make a pair for localhost that tells itself from others by its name."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
        now = datetime.now(UTC)
        signed = (
            x509.CertificateBuilder(subject, subject, key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(hours=1))
            .not_valid_after(now + timedelta(hours=1))
            .add_extension(
                x509.SubjectAlternativeName(
                    [x509.DNSName("localhost"), x509.IPAddress(IPv4Address("127.0.0.1"))]
                ),
                critical=False,
            )
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .sign(key, SHA256())
        )
        pair = cls(folder / f"{name}.pem", folder / f"{name}.key")
        pair.cert.write_bytes(signed.public_bytes(Encoding.PEM))
        lock: KeySerializationEncryption = NoEncryption()
        if password:
            lock = BestAvailableEncryption(password.encode())
        pair.key.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, lock))
        return pair

    def replace(self, other: "Pair") -> None:
        """Put another pair in this one's files."""
        self.cert.write_bytes(other.cert.read_bytes())
        self.key.write_bytes(other.key.read_bytes())

    def trusting(self) -> ssl.SSLContext:
        """Return how a client connects that trusts this certificate alone."""
        return ssl.create_default_context(cafile=str(self.cert))
