import { SignInAccounts } from '#application/accounts/sign-in-accounts.js';
import { Administrators, ChangeAsAdministrator } from '#application/administration/administrators.js';
import { ViewKeys } from '#application/administration/view-keys.js';
import { ChangeKeysOfOwner, ViewKeyOfOwner, ListAuditEvents } from '#application/keys/keys-of-owner.js';
import { PruneAuditEvents } from '#application/audit/prune-audit-events.js';
import { SealAuditEvents } from '#application/audit/seal-audit-events.js';
import { MakeApiKeys } from '#application/keys/make-api-keys.js';
import { accountsForJobs } from '#application/change-waits.js';
import { RecordFirstUse, RecordDueEnds } from '#application/keys/record-due-ends.js';
import { RevokeKeys } from '#application/keys/revoke-keys.js';
import { RevokeIdleKeys } from '#application/keys/revoke-idle-keys.js';
import { ReportUses } from '#application/validation/report-uses.js';
import { ShowOwnKey } from '#application/validation/show-own-key.js';
import { ValidateKey } from '#application/validation/validate-key.js';
import { SendNotices } from '#application/notices/send-notices.js';
import { NotifyOfDueKeys } from '#application/notices/notify-owners.js';
import { EndReportedKeys } from '#application/leaks/end-reported-keys.js';
import { ReportLeakedKeys } from '#application/leaks/report-leaked-keys.js';
import { SignIn, SignOut, IdentifyOwner } from '#application/sessions/sign-in.js';
import type { Ports } from '#application/ports.js';
import { buildSharedUseCases, type SharedSettings } from '#application/shared-use-cases.js';
import { Confirmation } from '#application/sessions/confirmation.js';
import { SignInAtPlatform } from '#application/sessions/sign-in-at-platform.js';
import { PasswordCheck } from '#application/sessions/password-check.js';
import type { Config } from '#config/config.js';

export type Settings = SharedSettings &
  Pick<Config, 'adminPermission' | 'rateLimit' | 'leaseMs' | 'freshSignIn' | 'signInRules' | 'audit'> &
  Pick<Config, 'noticeReceivers' | 'expiryNoticeDays'>;
export type UseCases = ReturnType<typeof buildUseCases>;

/** Every use case with its ports. */
export function buildUseCases(settings: Settings, given: Ports) {
  const ports = { ...given, accounts: given.changeWaits.answered(given.accounts) };
  const accountsOfJobs = accountsForJobs(given.accounts);
  const { keyPrefix, importPrefixes, keyPolicy, rateLimit, leaseMs, freshSignIn: rule } = settings;
  const { sealKeys, retentionDays } = settings.audit;
  const { audit, auditTrail, keys, accounts, sessions, guesses, usage, passwords, platformLogin } = ports;
  const { dueKeys, validationGate, outbox, webhookReceiver, mailReceiver, leakReports } = ports;
  const shared = buildSharedUseCases(ports, settings);
  const { shownKeys } = shared;
  const endLeakedKeys = new RevokeKeys(accountsOfJobs, keys, importPrefixes);
  const administrators = new Administrators(settings.adminPermission);
  const validatedEnds = new RecordDueEnds(dueKeys, validationGate);
  const check = new PasswordCheck(passwords, guesses, audit);
  const takesPasswords = settings.passwordSignIn;
  const confirmation = new Confirmation({ accounts, passwords, check, takesPasswords, rule });
  const recordFirstUse = new RecordFirstUse(given.accounts, validationGate);
  const validation = { ...ports, keyPrefix, importPrefixes, rateLimit };
  const validateKey = new ValidateKey({ ...validation, dueEnds: validatedEnds, recordFirstUse, leaseMs });
  return {
    ...shared,
    recordFirstUse,
    validateKey,
    reportUses: new ReportUses(validation),
    showOwnKey: new ShowOwnKey(validateKey, keys),
    makeApiKeys: new MakeApiKeys(confirmation, settings),
    viewKeyOfOwner: new ViewKeyOfOwner(shownKeys, keys, usage),
    changeKeysOfOwner: new ChangeKeysOfOwner(accounts, confirmation),
    reportLeakedKeys: new ReportLeakedKeys(leakReports, audit, importPrefixes),
    endReportedKeys: new EndReportedKeys(leakReports, endLeakedKeys, audit),
    ...(webhookReceiver && { sendWebhooks: new SendNotices('webhook', outbox, webhookReceiver) }),
    ...(mailReceiver && { sendMail: new SendNotices('mail', outbox, mailReceiver) }),
    notifyOfDueKeys: new NotifyOfDueKeys(dueKeys, settings.expiryNoticeDays, settings.noticeReceivers),
    revokeIdleKeys: new RevokeIdleKeys(ports.idleKeys, accountsOfJobs, {
      afterDays: keyPolicy.revokeIdleAfterDays,
      receivers: settings.noticeReceivers,
    }),
    administrators,
    viewKeys: new ViewKeys({ keys, shownKeys, accounts, usage, audit }),
    changeAsAdministrator: new ChangeAsAdministrator({ ...given, confirmation, administrators }),
    listAuditEvents: new ListAuditEvents(audit),
    sealAuditEvents: new SealAuditEvents(auditTrail, sealKeys),
    pruneAuditEvents: new PruneAuditEvents(auditTrail, sealKeys, retentionDays),
    confirmation,
    signIn: new SignIn({ ...ports, check }),
    ...(platformLogin && {
      signInAtPlatform: new SignInAtPlatform({
        ...ports,
        login: platformLogin,
        rule,
        signInAccounts: new SignInAccounts(accounts, settings.signInRules),
      }),
    }),
    signOut: new SignOut(sessions, confirmation, platformLogin),
    identifyOwner: new IdentifyOwner(ports),
  };
}
