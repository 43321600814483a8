import { lowerAccess } from '../../../src/domain/accounts/access-level';
import { isPermission } from '../../../src/domain/accounts/permission';
import { allowedNetworksProblem, isEverywhere } from '../../../src/domain/keys/allowed-networks';
import type { ApiKey, CreateKeyRequest, KeyPolicy } from '../api/types';
import { lifetimeDays } from '../key/status';
import type { Suggestion } from '../base/place';
import type { KeyDraft } from '../base/trip';
import { dateProblem, daysOf, expiryIn, expiryWithin } from '../new-key/expiry';
import { type FieldErrors, oneLine, textProblems } from '../new-key/fields';
import { DEFAULT_EXPIRY_DAYS, MAX_ALLOWED_NETWORKS, MAX_KEY_PERMISSIONS } from '../rules';
import type { Texts } from '../texts';
import { serviceTime } from '../time/useNow';

/** @param like an earlier key, or what a link suggests: its choices are filled in */
export function newDraft(policy: KeyPolicy, like?: ApiKey | Suggestion): KeyDraft {
  const { name = '', access = 'read-only', permissions = null } = like ?? {};
  const { note, allowedNetworks } = like && 'id' in like ? like : {};
  const suggested = (like && 'days' in like && like.days) || DEFAULT_EXPIRY_DAYS;
  const days = like && 'id' in like ? lifetimeDays(like, policy) : Math.min(suggested, policy.maxKeyDays);
  return {
    name: oneLine(name),
    note: note ?? '',
    access,
    // A link may contain any text.
    permissions: { scope: permissions ? 'only' : 'all', chosen: permissions?.filter(isPermission) ?? [] },
    expiry: expiryIn(days, serviceTime()),
    networks: allowedNetworks?.join('\n') ?? '',
  };
}

/** The draft without what the policy does not allow. It may be older than the policy. */
export function within(draft: KeyDraft, { maxAccess, maxKeyDays }: KeyPolicy): KeyDraft {
  const expiry = expiryWithin(draft.expiry, maxKeyDays, serviceTime());
  return { ...draft, access: lowerAccess(draft.access, maxAccess), expiry };
}

/** The errors that can be found without the service, which makes the final check. */
export function checkDraft(draft: KeyDraft, policy: KeyPolicy, texts: Texts): FieldErrors {
  const { restrictions } = texts;
  const { permissions, expiry, networks } = draft;
  const isLimited = permissions.scope === 'only';
  const chosen = permissions.chosen.length;
  return {
    ...textProblems(draft, texts),
    ...(isLimited && chosen === 0 && { permissions: restrictions.required }),
    ...(isLimited && chosen > MAX_KEY_PERMISSIONS && { permissions: restrictions.tooMany(MAX_KEY_PERMISSIONS) }),
    ...dateProblem(expiry, policy, texts),
    ...networksProblem(networksIn(networks), restrictions),
  };
}

/** Names every line that the service would refuse, and why. */
function networksProblem(lines: readonly string[], words: Texts['restrictions']): FieldErrors {
  if (lines.length > MAX_ALLOWED_NETWORKS) return { networks: words.tooManyNetworks(MAX_ALLOWED_NETWORKS) };
  const wrong = lines.filter((line) => allowedNetworksProblem([line]) !== undefined);
  const [all, none] = [wrong.filter(isEverywhere), wrong.filter((line) => !isEverywhere(line))];
  const problems = [
    none.length > 0 && words.noNetwork(none.join(', ')),
    all.length > 0 && words.everyAddress(all.join(', ')),
  ].filter((problem) => problem !== false);
  return problems.length === 0 ? {} : { networks: problems.join('. ') };
}

/** Separated by lines, spaces or commas. */
export const networksIn = (text: string): readonly string[] => text.split(/[\s,;]+/).filter((line) => line !== '');

export function requestOf(
  draft: KeyDraft,
  { maxKeyDays }: KeyPolicy,
  proof: { readonly password?: string },
): CreateKeyRequest {
  const { name, note, access, permissions, expiry } = draft;
  const allowedNetworks = networksIn(draft.networks);
  const expiresInDays = daysOf(expiry, serviceTime(), maxKeyDays) ?? 0;
  return {
    name,
    access,
    expiresInDays,
    ...(note.trim() !== '' && { note }),
    ...(permissions.scope === 'only' && { permissions: permissions.chosen }),
    ...(allowedNetworks.length > 0 && { allowedNetworks }),
    ...proof,
  };
}
