// Original file: proto/latchkey/v1/api_key_service.proto

import type { Operation as _latchkey_v1_Operation, Operation__Output as _latchkey_v1_Operation__Output } from '../../latchkey/v1/Operation.js';

export interface KeyUses {
  'apiKey'?: (string);
  'authorization'?: (string);
  'clientIp'?: (string);
  'count'?: (number);
  'lastMsAgo'?: (number);
  'permission'?: (string);
  'operation'?: (_latchkey_v1_Operation);
  'credential'?: "apiKey"|"authorization";
  '_permission'?: "permission";
}

export interface KeyUses__Output {
  'apiKey'?: (string);
  'authorization'?: (string);
  'clientIp': (string);
  'count': (number);
  'lastMsAgo': (number);
  'permission'?: (string);
  'operation': (_latchkey_v1_Operation__Output);
  'credential'?: "apiKey"|"authorization";
  '_permission'?: "permission";
}
