#!/usr/bin/env bash
# Makes the certificates of the tests' stand-ins: an authority whose key is thrown away, and localhost signed by it.
# They are kept in the repository so that tests need no openssl. They protect nothing: everybody has the key.
set -euo pipefail
cd "$(dirname "$0")"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
openssl ecparam -name prime256v1 -genkey -noout -out "$scratch/ca-key.pem"
openssl req -x509 -new -key "$scratch/ca-key.pem" -sha256 -days 36500 -subj '/CN=Rookery tests' \
  -addext 'basicConstraints=critical,CA:TRUE' -addext 'keyUsage=critical,keyCertSign,cRLSign' -out ca.pem
openssl ecparam -name prime256v1 -genkey -noout | openssl pkcs8 -topk8 -nocrypt -out localhost-key.pem
openssl req -new -key localhost-key.pem -subj '/CN=localhost' -out "$scratch/localhost.csr"
printf 'subjectAltName=DNS:localhost,DNS:*.localhost,DNS:push.example,DNS:*.push.example,IP:127.0.0.1,IP:::1\nextendedKeyUsage=serverAuth\n' > "$scratch/extensions"
openssl x509 -req -in "$scratch/localhost.csr" -CA ca.pem -CAkey "$scratch/ca-key.pem" -CAcreateserial -days 36500 \
  -sha256 -extfile "$scratch/extensions" -out localhost.pem
rm -f ca.srl
# One that takes the place of localhost's, its own authority.
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout renewed-key.pem -sha256 -days 36500 \
  -subj '/CN=localhost' -addext 'subjectAltName=DNS:localhost,IP:127.0.0.1' -out renewed.pem
# One with a key of another kind.
openssl req -x509 -newkey rsa:2048 -nodes -keyout rsa-key.pem -sha256 -days 36500 \
  -subj '/CN=localhost' -addext 'subjectAltName=DNS:localhost,IP:127.0.0.1' -out rsa.pem
