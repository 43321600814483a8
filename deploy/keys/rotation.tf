# For Terraform 1.4 or later: rotates a service account's key whenever `rotation` changes, and stores it in Vault. Terraform
# runs the script, and neither sees nor keeps the key: its state has the number and the names alone. Put rotate-key.sh, of the
# chart's folder files, next to it. The environment has LATCHKEY_URL, LATCHKEY_TOKEN, VAULT_ADDR and VAULT_TOKEN.
variable "rotation" {
  type        = number
  description = "Raise it to rotate the key."
}

variable "secret" {
  type        = string
  default     = "secret/systems-api"
  description = "Of Vault, with the entries id and key: the first key's."
}

resource "terraform_data" "api_key" {
  triggers_replace = [var.rotation]

  provisioner "local-exec" {
    interpreter = ["sh", "-euc"]
    environment = { SECRET = var.secret, SCRIPT = "${path.module}/rotate-key.sh" }
    command     = <<-EOT
      KEY_ID=$(vault kv get -field=id "$SECRET")
      export KEY_ID
      # 75: Vault may have stored the key although its answer was lost, so neither key is revoked. Apply again then.
      sh "$SCRIPT" sh -c 'vault kv put "$SECRET" id="$NEW_KEY_ID" key=- || exit 75'
    EOT
  }
}
