/** latchkey/v1/api_key_service.proto as protobufjs reads it. */
export const contract = {
  "nested": {
    "latchkey": {
      "nested": {
        "v1": {
          "nested": {
            "ApiKeyService": {
              "methods": {
                "ValidateKey": {
                  "requestType": "ValidateKeyRequest",
                  "responseType": "ValidateKeyResponse"
                },
                "ValidateKeys": {
                  "requestType": "ValidateKeyRequest",
                  "requestStream": true,
                  "responseType": "ValidateKeyResponse",
                  "responseStream": true
                },
                "ReportUses": {
                  "requestType": "ReportUsesRequest",
                  "responseType": "ReportUsesResponse"
                }
              }
            },
            "ValidateKeyRequest": {
              "oneofs": {
                "credential": {
                  "oneof": [
                    "apiKey",
                    "authorization"
                  ]
                }
              },
              "fields": {
                "requestId": {
                  "type": "string",
                  "id": 1,
                  "protoName": "request_id"
                },
                "apiKey": {
                  "type": "string",
                  "id": 2,
                  "protoName": "api_key"
                },
                "authorization": {
                  "type": "string",
                  "id": 3
                },
                "operation": {
                  "type": "Operation",
                  "id": 4
                },
                "permission": {
                  "type": "string",
                  "id": 5
                },
                "clientIp": {
                  "type": "string",
                  "id": 6,
                  "protoName": "client_ip"
                },
                "userAgent": {
                  "type": "string",
                  "id": 7,
                  "protoName": "user_agent"
                },
                "leaseWish": {
                  "type": "LeaseWish",
                  "id": 8,
                  "protoName": "lease_wish"
                }
              }
            },
            "LeaseWish": {
              "fields": {
                "uses": {
                  "type": "uint32",
                  "id": 1
                },
                "understands": {
                  "rule": "repeated",
                  "type": "KeyRestriction",
                  "id": 2
                }
              }
            },
            "ValidateKeyResponse": {
              "oneofs": {
                "outcome": {
                  "oneof": [
                    "grant",
                    "denial",
                    "failure"
                  ]
                }
              },
              "fields": {
                "requestId": {
                  "type": "string",
                  "id": 1,
                  "protoName": "request_id"
                },
                "grant": {
                  "type": "Grant",
                  "id": 2
                },
                "denial": {
                  "type": "Denial",
                  "id": 3
                },
                "failure": {
                  "type": "Failure",
                  "id": 5
                },
                "rateLimit": {
                  "type": "RateLimit",
                  "id": 4,
                  "protoName": "rate_limit"
                },
                "lease": {
                  "type": "Lease",
                  "id": 6
                }
              }
            },
            "Lease": {
              "fields": {
                "lengthMs": {
                  "type": "uint32",
                  "id": 2,
                  "protoName": "length_ms"
                },
                "uses": {
                  "type": "uint32",
                  "id": 3
                },
                "hasOwnPermissions": {
                  "type": "bool",
                  "id": 4,
                  "protoName": "has_own_permissions"
                },
                "allowedNetworks": {
                  "rule": "repeated",
                  "type": "string",
                  "id": 5,
                  "protoName": "allowed_networks"
                }
              }
            },
            "ReportUsesRequest": {
              "fields": {
                "uses": {
                  "rule": "repeated",
                  "type": "KeyUses",
                  "id": 1
                }
              }
            },
            "ReportUsesResponse": {
              "fields": {}
            },
            "KeyUses": {
              "oneofs": {
                "credential": {
                  "oneof": [
                    "apiKey",
                    "authorization"
                  ]
                },
                "_permission": {
                  "oneof": [
                    "permission"
                  ]
                }
              },
              "fields": {
                "apiKey": {
                  "type": "string",
                  "id": 1,
                  "protoName": "api_key"
                },
                "authorization": {
                  "type": "string",
                  "id": 2
                },
                "clientIp": {
                  "type": "string",
                  "id": 3,
                  "protoName": "client_ip"
                },
                "count": {
                  "type": "uint32",
                  "id": 4
                },
                "lastMsAgo": {
                  "type": "uint32",
                  "id": 5,
                  "protoName": "last_ms_ago"
                },
                "permission": {
                  "type": "string",
                  "id": 6,
                  "options": {
                    "proto3_optional": true
                  }
                },
                "operation": {
                  "type": "Operation",
                  "id": 7
                }
              }
            },
            "Grant": {
              "fields": {
                "keyId": {
                  "type": "string",
                  "id": 1,
                  "protoName": "key_id"
                },
                "ownerId": {
                  "type": "string",
                  "id": 2,
                  "protoName": "owner_id"
                },
                "access": {
                  "type": "AccessLevel",
                  "id": 3
                },
                "permissions": {
                  "rule": "repeated",
                  "type": "string",
                  "id": 4
                },
                "expiresAt": {
                  "type": "google.protobuf.Timestamp",
                  "id": 5,
                  "protoName": "expires_at"
                },
                "attributes": {
                  "rule": "repeated",
                  "type": "Attribute",
                  "id": 6
                }
              }
            },
            "Attribute": {
              "fields": {
                "name": {
                  "type": "string",
                  "id": 1
                },
                "value": {
                  "type": "string",
                  "id": 2
                }
              }
            },
            "Denial": {
              "fields": {
                "reason": {
                  "type": "Reason",
                  "id": 1
                },
                "httpStatus": {
                  "type": "uint32",
                  "id": 2,
                  "protoName": "http_status"
                },
                "message": {
                  "type": "string",
                  "id": 3
                },
                "retryAfter": {
                  "type": "google.protobuf.Duration",
                  "id": 4,
                  "protoName": "retry_after"
                },
                "keyId": {
                  "type": "string",
                  "id": 5,
                  "protoName": "key_id"
                },
                "ownerId": {
                  "type": "string",
                  "id": 6,
                  "protoName": "owner_id"
                }
              }
            },
            "Failure": {
              "fields": {
                "code": {
                  "type": "int32",
                  "id": 1
                },
                "message": {
                  "type": "string",
                  "id": 2
                }
              }
            },
            "RateLimit": {
              "fields": {
                "limit": {
                  "type": "uint32",
                  "id": 1
                },
                "remaining": {
                  "type": "uint32",
                  "id": 2
                },
                "resetAfter": {
                  "type": "google.protobuf.Duration",
                  "id": 3,
                  "protoName": "reset_after"
                },
                "window": {
                  "type": "google.protobuf.Duration",
                  "id": 4
                }
              }
            },
            "Operation": {
              "values": {
                "OPERATION_UNSPECIFIED": 0,
                "OPERATION_READ": 1,
                "OPERATION_WRITE": 2,
                "OPERATION_DESTROY": 3,
                "OPERATION_MANAGE_API_KEYS": 4,
                "OPERATION_MANAGE_ACCOUNT": 5,
                "OPERATION_IMPERSONATE": 6
              }
            },
            "AccessLevel": {
              "values": {
                "ACCESS_LEVEL_UNSPECIFIED": 0,
                "ACCESS_LEVEL_READ_ONLY": 1,
                "ACCESS_LEVEL_READ_AND_WRITE": 2
              }
            },
            "KeyRestriction": {
              "values": {
                "KEY_RESTRICTION_UNSPECIFIED": 0,
                "KEY_RESTRICTION_PERMISSIONS": 1,
                "KEY_RESTRICTION_NETWORKS": 2
              }
            },
            "Reason": {
              "values": {
                "REASON_UNSPECIFIED": 0,
                "REASON_INVALID_KEY": 1,
                "REASON_REVOKED": 2,
                "REASON_EXPIRED": 3,
                "REASON_OWNER_SUSPENDED": 4,
                "REASON_OWNER_DELETED": 5,
                "REASON_READ_ONLY_KEY": 6,
                "REASON_OPERATION_NOT_ALLOWED": 7,
                "REASON_MISSING_PERMISSION": 8,
                "REASON_RATE_LIMITED": 9,
                "REASON_ADDRESS_NOT_ALLOWED": 10
              }
            }
          }
        }
      }
    },
    "google": {
      "nested": {
        "protobuf": {
          "nested": {
            "Duration": {
              "fields": {
                "seconds": {
                  "type": "int64",
                  "id": 1
                },
                "nanos": {
                  "type": "int32",
                  "id": 2
                }
              }
            },
            "Timestamp": {
              "fields": {
                "seconds": {
                  "type": "int64",
                  "id": 1
                },
                "nanos": {
                  "type": "int32",
                  "id": 2
                }
              }
            }
          }
        }
      }
    }
  }
};
