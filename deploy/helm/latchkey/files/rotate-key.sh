#!/bin/sh
# Rotates a service account's key. "$@" is the command that stores the new one: it gets the key on standard input and its id
# in NEW_KEY_ID. The old key works for GRACE_SECONDS more. If the store fails, the new key is revoked, and the old one goes
# on. If it ends with 75, either may be stored, so both go on until the next run. Needs sh and curl. No secret is ever an
# argument, which other users of the machine could read.
#   LATCHKEY_URL         Latchkey's SERVICES_PORT, such as http://latchkey:3080
#   LATCHKEY_TOKEN       a service token with the role issuer for the account, or
#   LATCHKEY_TOKEN_FILE  a file with it
#   KEY_ID               the key to replace
#   GRACE_SECONDS        43200, half a day, if absent. Until then, another rotation is refused
set -eu
umask 077
: "${LATCHKEY_URL:?must be the URL of SERVICES_PORT}" "${KEY_ID:?must be the id of the key to replace}"
[ $# -gt 0 ] || { echo 'Usage: rotate-key.sh COMMAND [ARGUMENT ...], which stores the key that it reads' >&2; exit 2; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM
token=${LATCHKEY_TOKEN:-$(cat "${LATCHKEY_TOKEN_FILE:?must be set, or LATCHKEY_TOKEN}")}
unset LATCHKEY_TOKEN
printf 'Authorization: Bearer %s\nContent-Type: application/json\n' "$token" >"$folder/headers"

# call METHOD BODY: the answer's status. Its body and its headers are then in the folder.
call() {
  printf '%s' "$2" | curl --silent --show-error --max-time 30 --header "@$folder/headers" --data-binary @- \
    --dump-header "$folder/answer-headers" --output "$folder/answer" --write-out '%{http_code}' \
    "${LATCHKEY_URL%/}/latchkey.v1.AccountService/$1"
}
refused() {
  echo "Latchkey refused to $1: $(cat "$folder/answer")" >&2
  exit 1
}
revoke() {
  [ "$(call RevokeKeys "{\"keyId\":\"$1\"}")" = 200 ] || refused "revoke the key $1"
}
rotate() {
  call RotateKey "{\"keyId\":\"$KEY_ID\",\"graceSeconds\":${GRACE_SECONDS:-43200},\"idempotencyKey\":\"$1\"}"
}
# member 1: the new key's id. member 2: its string. Neither has characters that JSON escapes.
member() {
  sed -n "s/^[^\"]*\"key\":{\"id\":\"\([^\"]*\)\".*\"fullKey\":\"\([^\"]*\)\".*/\\$1/p" "$folder/answer"
}

status=$(rotate "rotation-of-$KEY_ID")
if [ "$status" = 409 ]; then
  # An earlier run made a key whose string was lost. Nobody has it, so it goes, and that cancels the earlier rotation.
  lost=$(tr -d '\r' <"$folder/answer-headers" | sed -n 's/^latchkey-key-id: //p')
  [ -n "$lost" ] || refused "rotate the key $KEY_ID"
  revoke "$lost"
  status=$(rotate "rotation-of-$KEY_ID-after-$lost")
fi
[ "$status" = 200 ] || refused "rotate the key $KEY_ID"
NEW_KEY_ID=$(member 1)
export NEW_KEY_ID
[ -n "$NEW_KEY_ID" ] || { echo 'The answer has no key. Is LATCHKEY_URL the address of SERVICES_PORT?' >&2; exit 1; }
member 2 | "$@" && stored=0 || stored=$?
if [ "$stored" = 75 ]; then
  echo "The new key $NEW_KEY_ID may be stored or not. It and the key $KEY_ID go on: run this again with the stored one's id." >&2
  exit 1
fi
if [ "$stored" != 0 ]; then
  revoke "$NEW_KEY_ID"
  echo "The new key could not be stored, and is revoked. The key $KEY_ID goes on." >&2
  exit 1
fi
echo "The key $KEY_ID is replaced by $NEW_KEY_ID, and ends after its grace." >&2
