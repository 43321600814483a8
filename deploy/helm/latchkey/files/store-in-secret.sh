#!/bin/sh
# Stores the key on standard input, and its id NEW_KEY_ID, in a Secret of the cluster, by the pod's own service account.
# The Secret must exist. Its other entries stay. Ends with 75 if it may have stored the key, because the answer was lost.
#   SECRET, NAMESPACE    the Secret
set -eu
umask 077
folder=${CLUSTER_FOLDER:-/var/run/secrets/kubernetes.io/serviceaccount}
cluster=${CLUSTER_URL:-https://kubernetes.default.svc}
header=$(mktemp)
trap 'rm -f "$header"' EXIT
printf 'Authorization: Bearer %s\nContent-Type: application/merge-patch+json\n' "$(cat "$folder/token")" >"$header"
key=$(cat)
# printf is part of the shell, so the key is no argument of a program.
status=$(printf '{"stringData":{"id":"%s","key":"%s"}}' "$NEW_KEY_ID" "$key" |
  curl --silent --show-error --max-time 30 --cacert "$folder/ca.crt" --request PATCH --header "@$header" \
    --data-binary @- --output /dev/null --write-out '%{http_code}' \
    "$cluster/api/v1/namespaces/$NAMESPACE/secrets/$SECRET") || exit 75
case $status in
  2??) ;;
  4??) echo "The cluster refused to change the Secret $SECRET: $status" >&2; exit 1 ;;
  *) exit 75 ;;
esac
