import * as oidc from 'openid-client';
import type {
  BegunSignIn,
  LoginProfile,
  PlatformPerson,
  SignInPrompt,
  PlatformLogin,
  Requester,
} from '#application/sign-in-ports.js';
import type { OidcConfig } from '#config/sign-in-config.js';
import { accountIdProblem } from '#domain/accounts/account-profile.js';
import { type FreshSignInRule, signInOf } from '#domain/accounts/session.js';
import { LatchkeyError } from '#domain/errors.js';
import { causeOf, type Log } from '#infrastructure/telemetry/log.js';
import { Gate } from '../batching/gate.js';
import { OidcProvider, signInError, tokenError } from './oidc-provider.js';

/** Sign-ins that wait for a slow provider must not take the process's time and sockets from validations. */
const AT_ONCE = { atOnce: 16, queueLength: 64 };

/** OpenID Connect: authorization code with PKCE, as a confidential client. */
export class OidcPlatformLogin implements PlatformLogin {
  private readonly gate = new Gate(AT_ONCE);
  private readonly provider: OidcProvider;

  /** @param people where the provider sends them back to, after a sign-in and after a sign-out there */
  constructor(
    private readonly config: OidcConfig,
    private readonly people: Readonly<Record<'redirectUri' | 'signedOutUri', string>>,
    private readonly log: Log,
  ) {
    this.provider = new OidcProvider(config, log);
  }

  /** Tries the provider, so that the log of a start shows a wrong or unreachable one. The start does not wait for it. */
  async open(): Promise<void> {
    this.provider.metadata().catch(() => undefined);
  }

  async begin(
    stepUp: FreshSignInRule | undefined,
    prompt?: SignInPrompt,
  ): Promise<{ url: string; begun: BegunSignIn }> {
    const begun = {
      state: oidc.randomState(),
      nonce: oidc.randomNonce(),
      codeVerifier: oidc.randomPKCECodeVerifier(),
    };
    const url = oidc.buildAuthorizationUrl(await this.provider.client(), {
      redirect_uri: this.people.redirectUri,
      scope: this.config.scopes,
      state: begun.state,
      nonce: begun.nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(begun.codeVerifier),
      code_challenge_method: 'S256',
      ...(prompt && { prompt }),
      ...(stepUp && { max_age: String(stepUp.maxAgeSeconds) }),
      ...(stepUp && stepUp.acrValues.length > 0 && { acr_values: stepUp.acrValues.join(' ') }),
    });
    return { url: url.href, begun };
  }

  requireRoom(requester: Requester): void {
    this.gate.requireRoom(requester);
  }

  /** OpenID Connect RP-Initiated Logout 1.0, by the client's id: no ID token is kept that could be a hint. */
  async signOutUrl(): Promise<string | undefined> {
    if (!this.config.endsProviderSession) return undefined;
    try {
      const client = await this.provider.client();
      if (client.serverMetadata().end_session_endpoint === undefined) return undefined;
      return oidc.buildEndSessionUrl(client, { post_logout_redirect_uri: this.people.signedOutUri }).href;
    } catch (error) {
      const message = 'signed out here only (OIDC_SIGN_OUT): the session at the platform stays open';
      this.log.warn(message, { reason: causeOf(error) });
      return undefined;
    }
  }

  finish(answer: string, begun: BegunSignIn, requester: Requester): Promise<PlatformPerson> {
    return this.gate.pass(() => this.exchange(answer, begun), requester);
  }

  private async exchange(answer: string, { state, nonce, codeVerifier }: BegunSignIn): Promise<PlatformPerson> {
    const client = await this.provider.client();
    const url = new URL(this.people.redirectUri);
    url.search = answer;
    try {
      const checks = {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: codeVerifier,
        idTokenExpected: true,
      };
      const tokens = await oidc.authorizationCodeGrant(client, url, checks).catch((error: unknown) => {
        throw tokenError(error);
      });
      const idToken = tokens.claims()!;
      const userInfo = await this.userInfo(idToken, () => oidc.fetchUserInfo(client, tokens.access_token, idToken.sub));
      const id = accountClaim(this.config.accountClaim, { ...userInfo, ...idToken });
      const isValid = id !== undefined && accountIdProblem(id) === undefined;
      const profile = this.config.profile && profileOf(idToken, userInfo, this.config.profile.rolesClaim);
      const accountId = isValid ? id : undefined;
      return { accountId, issuer: idToken.iss, signIn: signInOf(idToken), ...(profile && { profile }) };
    } catch (error) {
      throw error instanceof LatchkeyError ? error : signInError(error);
    }
  }

  /** Empty if the ID token has every claim that is needed. Then the provider is not asked. */
  private async userInfo(idToken: Claims, fetchUserInfo: () => Promise<Claims>): Promise<Claims> {
    const { accountClaim: id, profile } = this.config;
    const needed = [id, ...(profile ? ['email', 'name', ...(profile.rolesClaim ? [profile.rolesClaim] : [])] : [])];
    const isComplete = needed.every((name) => claimAt(idToken, name) !== undefined);
    return isComplete ? {} : fetchUserInfo();
  }
}

type Claims = Readonly<Record<string, unknown>>;

/** @returns undefined if the claim is missing, or is an email address that the provider has not verified */
function accountClaim(name: string, claims: Claims): string | undefined {
  const value = claims[name];
  if (typeof value !== 'string') return undefined;
  return name === 'email' && claims['email_verified'] !== true ? undefined : value;
}

/** A claim of the ID token counts before that of UserInfo. Each may have another part of the object with the roles. */
function profileOf(idToken: Claims, userInfo: Claims, rolesClaim: string | undefined): LoginProfile {
  const claims = { ...userInfo, ...idToken };
  const roles = rolesClaim === undefined ? [] : (claimAt(idToken, rolesClaim) ?? claimAt(userInfo, rolesClaim));
  const texts = (Array.isArray(roles) ? roles : [roles]).filter((role) => typeof role === 'string');
  const name = [claims['name'], claims['preferred_username']].find((each) => typeof each === 'string');
  return {
    issuedAt: new Date(Number(idToken['iat']) * 1000),
    email: accountClaim('email', claims) ?? '',
    displayName: name ?? '',
    roles: texts,
  };
}

/** @param name of a claim at the top or, beginning with `/`, a JSON Pointer (RFC 6901) */
function claimAt(claims: Claims, name: string): unknown {
  if (!name.startsWith('/')) return Object.hasOwn(claims, name) ? claims[name] : undefined;
  const steps = name
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  return steps.reduce<unknown>(
    (at, step) => (typeof at === 'object' && at !== null && Object.hasOwn(at, step) ? (at as Claims)[step] : undefined),
    claims,
  );
}
