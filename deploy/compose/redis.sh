#!/bin/sh
# Starts Redis as tenmatch needs it: the settings and the user of this folder's parent, the password of .env.
# With the name of a primary as its argument it becomes that one's replica.
set -eu
users=$(sed "s/CHOOSE-A-PASSWORD/$REDIS_PASSWORD/; /^#/d; /^$/d" /etc/redis/acl.conf)
umask 077
{
    echo 'include /etc/redis/tenmatch.conf'
    echo "$users"
    # Nobody else but the replica, and who takes a backup (operations.md): they speak to it as this user.
    echo 'user default off'
    echo "user replica on >$REDIS_PASSWORD +psync +sync +replconf +ping"
    [ $# = 0 ] || printf 'replicaof %s 6379\nmasteruser replica\nmasterauth %s\n' "$1" "$REDIS_PASSWORD"
} > /tmp/redis.conf
exec redis-server /tmp/redis.conf
