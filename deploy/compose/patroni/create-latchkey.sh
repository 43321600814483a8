#!/bin/sh
# Patroni runs it once, on the first node of a new cluster, with the address of PostgreSQL.
exec psql "$1" --set=ON_ERROR_STOP=1 --set=password="$POSTGRES_PASSWORD" <<'SQL'
CREATE ROLE latchkey LOGIN PASSWORD :'password';
CREATE DATABASE latchkey OWNER latchkey;
SQL
