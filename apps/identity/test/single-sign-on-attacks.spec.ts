import { isDeepStrictEqual } from 'node:util';
import { type ReceiverReaction, startReceiver } from '@crm/testing';
import { describe, expect, it } from '@jest/globals';
import { ProviderSignInLimit, STEPS_PER_ADDRESS, type Step } from '../src/single-sign-on/provider-sign-in-limit.js';
import { auditOf, entryOf } from './audit.js';
import { Browser } from './single-sign-on/browser.js';
import { CLIENT_ID } from './single-sign-on/forging-provider.js';
import { DOWN, EXPIRED, FAILED, PROVIDER_MS, refused, Stage } from './single-sign-on/stage.js';
import { newDomain } from './single-sign-on/workspace.js';

const stage = Stage.ofFile();
const { identity } = stage;

describe('a sign-in at a provider', () => {
  it('asks for a code with PKCE, state and nonce, and goes through when everything is right', async () => {
    const { sent, browser, state } = await stage.begun();
    expect(Object.fromEntries(sent.searchParams)).toMatchObject({
      response_type: 'code',
      client_id: CLIENT_ID,
      redirect_uri: stage.configured.redirectUri,
      scope: 'openid email profile',
      code_challenge_method: 'S256',
    });
    const { code } = await browser.comeBack(stage.callback(state));
    expect((await browser.exchange(code ?? '')).status).toBe(200);
  });

  it('does not make anybody the user who has given up their address', async () => {
    const { email } = await stage.colleague();
    const reserve = "UPDATE sign_in_email SET reserved_until = now() + interval '1 day' WHERE email = $1";
    await identity.queryAll(reserve, [email]);
    stage.provider.claims = { sub: 'newcomer', email };
    expect(await stage.outcome()).toEqual(refused('email_reserved'));
  });

  it('is completed once: neither the answer nor the code works again', async () => {
    const { browser, state } = await stage.begun();
    const { code = '' } = await browser.comeBack(stage.callback(state));
    expect(await browser.comeBack(stage.callback(state))).toEqual(EXPIRED);
    expect((await browser.exchange(code)).status).toBe(200);
    expect((await browser.exchange(code)).body.code).toBe('SINGLE_SIGN_ON_EXPIRED');
  });

  it('is completed once when the answer or the code comes twice at the same time', async () => {
    const { browser, state } = await stage.begun();
    const outcomes = await Promise.all([1, 2].map(() => browser.comeBack(stage.callback(state))));
    const codes = outcomes.flatMap(({ code }) => (code === undefined ? [] : [code]));
    expect([codes.length, outcomes]).toEqual([1, expect.arrayContaining([EXPIRED])]);
    const answers = await Promise.all([browser.exchange(codes[0] ?? ''), browser.exchange(codes[0] ?? '')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 410]);
  });

  it('is completed in the browser that began it only (login CSRF)', async () => {
    const { browser, state } = await stage.begun();
    const victim = new Browser(identity);
    expect(await victim.comeBack(stage.callback(state))).toEqual(EXPIRED);
    await victim.start(stage.configured.signInId);
    expect(await victim.comeBack(stage.callback(state))).toEqual(EXPIRED);
    const { code = '' } = await browser.comeBack(stage.callback(state));
    expect((await victim.exchange(code)).body.code).toBe('SINGLE_SIGN_ON_EXPIRED');
    expect((await browser.exchange(code)).status).toBe(200);
  });

  it('sets a cookie that no other host and no script can set or read', async () => {
    const started = await identity.request('POST', `/api/auth/oidc/${stage.configured.signInId}/start`);
    expect(started.headers.get('set-cookie')).toMatch(
      /^__Host-crm-sign-in=[\w-]{43}; Path=\/; Max-Age=600; Secure; HttpOnly; SameSite=Lax$/,
    );
    expect(started.headers.get('cache-control')).toContain('no-store');
  });

  it('has a time limit for the answer and for the code', async () => {
    const { tenantId } = stage.workspace.owner;
    const one = await stage.begun();
    const { code = '' } = await one.browser.comeBack(stage.callback(one.state));
    const other = await stage.begun();
    await identity.query(tenantId, "UPDATE provider_sign_in SET expires_at = now() - interval '1 second'");
    expect(await other.browser.comeBack(stage.callback(other.state))).toEqual(EXPIRED);
    expect((await one.browser.exchange(code)).body.code).toBe('SINGLE_SIGN_ON_EXPIRED');
  });

  it.each([
    ['an unknown state', (state: string) => stage.callback(`${state.slice(0, -4)}AAAA`)],
    ['no state', () => stage.callback('')],
    ['nonsense', () => stage.callback('x.y')],
  ])('is not completed by %s', async (_what, forged) => {
    const { browser, state } = await stage.begun();
    expect(await browser.comeBack(forged(state))).toEqual(EXPIRED);
    expect((await browser.comeBack(stage.callback(state))).code).toBeTruthy();
  });

  it('ends when the provider is disabled meanwhile', async () => {
    const { browser, state } = await stage.begun();
    const path = `/api/tenant/identity-providers/${stage.configured.id}`;
    const change = (enabled: boolean) => identity.send('PATCH', path, stage.workspace.owner, { enabled });
    const { code = '' } = await browser.comeBack(stage.callback(state));
    const late = await stage.begun();
    expect((await change(false)).status).toBe(200);
    expect((await browser.exchange(code)).body.code).toBe('SINGLE_SIGN_ON_EXPIRED');
    expect(await late.browser.comeBack(stage.callback(late.state))).toEqual(EXPIRED);
    expect((await identity.request('POST', `/api/auth/oidc/${stage.configured.signInId}/start`)).status).toBe(404);
    expect((await change(true)).status).toBe(200);
  });
});

describe('every step of a sign-in', () => {
  const limited: [Step, string, string, unknown][] = [
    ['discover', 'POST', '/api/auth/oidc/discover', { email: 'somebody@example.com' }],
    ['start', 'POST', '/api/auth/oidc/nonsense/start', undefined],
    ['return', 'GET', '/api/auth/oidc/nonsense/callback?state=nonsense', undefined],
    ['exchange', 'POST', '/api/auth/oidc/exchange', { code: 'nonsense' }],
  ];
  it.each(limited)('is limited per address before anything is done: %s', async (step, method, path, body) => {
    const send = (from: string) => identity.request(method, path, { body, headers: { 'x-forwarded-for': from } });
    const isRefused = ({ status, headers }: Awaited<ReturnType<typeof send>>) =>
      status === 429 || headers.get('location')?.endsWith('#error=RATE_LIMITED') === true;
    expect(isRefused(await send('203.0.113.7'))).toBe(false);
    const exhaust = async (): Promise<never> => {
      for (;;) await identity.get(ProviderSignInLimit).consume(step, '203.0.113.7');
    };
    await expect(exhaust()).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    expect(isRefused(await send('203.0.113.7'))).toBe(true);
    expect(isRefused(await send('203.0.113.8'))).toBe(false);
  });

  it('has one limit, also where it can be asked in two ways: with the address in the body and in the query', async () => {
    const email = 'somebody@example.com';
    const headers = { 'x-forwarded-for': '203.0.113.9' };
    const posted = () => identity.request('POST', '/api/auth/oidc/discover', { body: { email }, headers });
    const queried = () => identity.request('GET', `/api/auth/oidc/discover?email=${email}`, { headers });
    const limit = identity.get(ProviderSignInLimit);
    for (let call = 0; call < STEPS_PER_ADDRESS - 2; call += 1) await limit.consume('discover', '203.0.113.9');
    expect([(await posted()).status, (await queried()).status]).toEqual([200, 200]);
    expect([(await posted()).status, (await queried()).status]).toEqual([429, 429]);
  });
});

describe('an answer that was meant for another provider (mix-up)', () => {
  it('is not taken, whether the provider states its issuer or not', async () => {
    const hostile = await stage.add(stage.workspace, stage.another);
    const { browser, state } = await stage.begun(hostile, stage.another);
    const asked = stage.provider.receiver.requests.length + stage.another.receiver.requests.length;
    // The browser went to the honest provider instead, which sends it to the address registered there.
    expect(await browser.comeBack(stage.callback(state))).toEqual(EXPIRED);
    expect(stage.provider.receiver.requests.length + stage.another.receiver.requests.length).toBe(asked);
  });

  it('is not taken when it states another issuer', async () => {
    const { browser, state } = await stage.begun();
    const before = stage.provider.receiver.requests.filter(({ path }) => path === '/token').length;
    expect(await browser.comeBack(stage.callback(state, { iss: stage.another.issuer }))).toEqual(FAILED);
    expect(stage.provider.receiver.requests.filter(({ path }) => path === '/token')).toHaveLength(before);
  });

  it('is not taken without an issuer when the provider promises one', async () => {
    stage.another.metadata = { authorization_response_iss_parameter_supported: true };
    const other = await stage.proven();
    const at = await stage.add(other, stage.another);
    expect(await stage.outcome(at, stage.another, other)).toEqual(FAILED);
    const second = await stage.begun(at, stage.another, other);
    const { code } = await second.browser.comeBack(stage.callback(second.state, { at, iss: stage.another.issuer }));
    expect(code).toBeTruthy();
  });
});

describe('an id token', () => {
  const hour = 3600;
  const now = Math.floor(Date.now() / 1000);
  it.each<[string, Record<string, unknown>]>([
    ['with the nonce of another sign-in', { nonce: 'x'.repeat(43) }],
    ['without a nonce', { nonce: undefined }],
    ['for another client', { aud: 'another-client' }],
    ['for several clients without saying whose it is', { aud: [CLIENT_ID, 'another-client'] }],
    ['that was issued to another client', { azp: 'another-client' }],
    ['of another issuer', { iss: 'https://login.example.com' }],
    ['that has expired', { exp: now - hour }],
    ['of the future', { nbf: now + hour }],
    ['without a subject', { sub: undefined }],
    ['with an empty subject, which would be everybody', { sub: '' }],
    ['with a blank subject', { sub: ' \t' }],
    ['with NUL in the subject', { sub: 'a\u0000b' }],
    ['with half a character as the subject', { sub: '\ud800' }],
    ['with an endless subject', { sub: 'x'.repeat(256) }],
  ])('%s is refused', async (_what, claims) => {
    stage.provider.claims = claims;
    expect(await stage.outcome()).toEqual(FAILED);
  });

  it.each(['none', 'public key as secret', 'another key', 'unsigned part'] as const)(
    'with the signature "%s" is refused, although the provider lists the algorithm',
    async (signature) => {
      stage.provider.signature = signature;
      expect(await stage.outcome()).toEqual(FAILED);
    },
  );
});

describe('an address', () => {
  it('that the provider has not verified is refused, unless the workspace says that it never does', async () => {
    for (const email_verified of [false, undefined]) {
      stage.provider.claims = { email_verified };
      expect(await stage.outcome()).toEqual(refused('email_not_verified'));
    }
    const lenient = await stage.proven();
    const at = await stage.add(lenient, stage.provider, { requiresVerifiedEmail: false });
    expect((await stage.outcome(at, stage.provider, lenient)).code).toBeTruthy();
  });

  it.each([
    ['of a domain that nobody has proven', () => `somebody@${newDomain()}`, 'domain_not_proven'],
    ['of a domain below the proven one', () => `somebody@sub.${stage.workspace.domain}`, 'domain_not_proven'],
    ['with two @', () => `"a@b.com"@${stage.workspace.domain}`, 'email_missing'],
    ['that is none', () => 'nobody', 'email_missing'],
    ['that is missing', () => undefined, 'email_missing'],
  ])('%s is refused, and makes no user', async (_what, email, reason) => {
    const address = email();
    stage.provider.claims = { email: address };
    expect(await stage.outcome()).toEqual(refused(reason));
    const claimed = 'SELECT 1 FROM sign_in_email WHERE email = $1 UNION SELECT 1 FROM local_account WHERE email = $1';
    expect(await identity.queryAll(claimed, [address ?? ''])).toEqual([]);
  });

  it('of the domain of another workspace is refused, also for a provider that is configured leniently', async () => {
    const [victim, attacker] = [await stage.proven(), await stage.proven()];
    const at = await stage.add(attacker, stage.another, { requiresVerifiedEmail: false });
    stage.another.claims = { email: `boss@${victim.domain}` };
    expect(await stage.outcome(at, stage.another, attacker)).toEqual(refused('domain_not_proven'));
  });

  it('lets the same id at another provider of the workspace be someone else', async () => {
    const sub = 'the-same-sub';
    stage.provider.claims = { sub };
    const one = await stage.exchanged(await stage.begun());
    const at = await stage.add(stage.workspace, stage.another);
    stage.another.claims = { sub };
    const other = await stage.exchanged(await stage.begun(at, stage.another), at);
    const [a, b] = await Promise.all([one, other].map(({ body }) => identity.send('GET', '/api/auth/me', body)));
    expect(a?.body.id).not.toBe(b?.body.id);
  });

  it('no longer gets in when the workspace has lost its domain', async () => {
    const losing = await stage.proven();
    const at = await stage.add(losing, stage.provider);
    const signIn = async () => {
      stage.provider.claims = { sub: 'stays', email: `stays@${losing.domain}` };
      return stage.outcome(at, stage.provider, losing);
    };
    expect((await signIn()).code).toBeTruthy();
    expect((await identity.send('DELETE', `/api/tenant/domains/${losing.domain}`, losing.owner)).status).toBe(204);
    expect(await signIn()).toEqual(refused('domain_not_proven'));
    expect((await entryOf(identity, losing.owner, 'sign_in.failed')).detail).toEqual({ reason: 'domain_not_proven' });
  });
});

describe('the second factor', () => {
  it('follows as after a password, unless the provider has asked for one that the workspace accepts', async () => {
    const strict = await stage.proven();
    const at = await stage.add(strict, stage.provider, { secondFactorValues: ['mfa', 'urn:example:strong'] });
    const policy = { secondFactor: 'required' };
    expect((await identity.send('PUT', '/api/tenant/sign-in-policy', strict.owner, policy)).status).toBe(200);
    const signIn = async (claims: Record<string, unknown>) => {
      stage.provider.claims = { sub: 'careful', ...claims };
      return (await stage.exchanged(await stage.begun(at, stage.provider, strict), at)).body;
    };
    const enrol = { mfaEnrolmentRequired: true, enrolmentToken: expect.any(String) };
    expect(await signIn({})).toMatchObject(enrol);
    expect(await signIn({ amr: ['pwd'], acr: 'urn:example:weak' })).toMatchObject(enrol);
    expect(await signIn({ amr: ['pwd', 'mfa'] })).toMatchObject({ tokenType: 'Bearer' });
    expect(await signIn({ acr: 'urn:example:strong' })).toMatchObject({ tokenType: 'Bearer' });
  });
});

describe('a provider that misbehaves', () => {
  const json = { 'content-type': 'application/json' };
  const said = {
    error: 'invalid_client',
    error_description: `AADSTS7000222: The\u0000 <b>secret</b> expired. ${'x'.repeat(300)}`,
  };
  it.each<[string, ReceiverReaction, object, object]>([
    ['never answers', 'hang', DOWN, { code: 'unavailable', httpStatus: null }],
    ['breaks the connection', 'reset', DOWN, { code: 'unavailable', httpStatus: null }],
    ['answers 500', { status: 500, body: 'no' }, DOWN, { code: 'unavailable', httpStatus: 500 }],
    ['redirects', { status: 302, headers: { location: 'https://127.0.0.1/elsewhere' } }, FAILED, { httpStatus: 302 }],
    [
      'answers 200 KB',
      { status: 200, headers: json, body: `{"a":"${'x'.repeat(200_000)}"}` },
      FAILED,
      { code: 'invalid' },
    ],
    [
      'answers no JSON',
      { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>' },
      FAILED,
      { code: 'invalid', httpStatus: 200, error: null, description: null },
    ],
    [
      'knows no such client',
      { status: 401, headers: json, body: JSON.stringify(said) },
      FAILED,
      {
        code: 'refused',
        httpStatus: 401,
        error: 'invalid_client',
        description: expect.stringMatching(/^AADSTS7000222 The b secret b expired\. x{150,}$/),
      },
    ],
  ])(
    'at the token endpoint (%s) fails the sign-in in time, and says why to the owners',
    async (_what, reaction, outcome, failure) => {
      const { owner } = stage.workspace;
      stage.provider.reactions.set('/token', reaction);
      const startedAt = Date.now();
      expect(await stage.outcome()).toEqual(outcome);
      expect(Date.now() - startedAt).toBeLessThan(PROVIDER_MS + 10_000);
      const lastFailure = expect.objectContaining({ at: expect.any(String), message: expect.any(String), ...failure });
      const shown = await identity.send('GET', `/api/tenant/identity-providers/${stage.configured.id}`, owner);
      expect(shown.body).toMatchObject({ lastFailure });
      // The same failure again is no other entry.
      await stage.outcome();
      expect((await entryOf(identity, owner, 'identity_provider.failed')).subject).toMatchObject({
        id: stage.configured.id,
      });
      const details = (await auditOf(identity, owner, '&action=identity_provider.failed')).map(({ detail }) => detail);
      expect(details.some((detail, index) => isDeepStrictEqual(detail, details[index + 1]))).toBe(false);
    },
  );

  it('is not judged by what a browser brings: only the code of an error is kept, and in place of no other failure', async () => {
    const other = await stage.proven();
    const at = await stage.add(other, stage.another);
    const path = `/api/tenant/identity-providers/${at.id}`;
    const lastFailure = async () => (await identity.send('GET', path, other.owner)).body as unknown;
    const returns = async (error: string) => {
      const { browser, state } = await stage.begun(at, stage.another, other);
      const answer = { at, code: '', error, error_description: 'Call 030 1234567' };
      expect(await browser.comeBack(stage.callback(state, answer))).toEqual(FAILED);
    };
    await returns('access_denied');
    const kept = { code: 'returned', error: 'access_denied', description: null, httpStatus: null };
    expect(await lastFailure()).toMatchObject({ lastFailure: kept });
    await returns('call_me');
    expect(await lastFailure()).toMatchObject({ lastFailure: { ...kept, error: null } });
    stage.another.reactions.set('/token', { status: 500, body: 'no' });
    await stage.outcome(at, stage.another, other);
    await returns('access_denied');
    expect(await lastFailure()).toMatchObject({ lastFailure: { code: 'unavailable', httpStatus: 500 } });
    expect((await identity.send('PATCH', path, other.owner, { name: 'Theirs' })).body).toMatchObject({
      lastFailure: null,
    });
  });

  it('is waited for by a few sign-ins at a time, and holds up no other provider and no other workspace', async () => {
    const beside = await stage.add(stage.workspace, stage.another);
    stage.provider.reactions.set('/token', 'hang');
    const waiting = await Promise.all(Array.from({ length: 20 }, () => stage.begun()));
    const outcomes = Promise.all(waiting.map(({ browser, state }) => browser.comeBack(stage.callback(state))));
    const other = await stage.proven();
    // Also where both have the same provider.
    await stage.begun(await stage.add(other, stage.provider), stage.provider, other);
    const at = await stage.add(other, stage.another);
    expect((await stage.outcome(at, stage.another, other)).code).toBeTruthy();
    expect((await stage.outcome(beside, stage.another)).code).toBeTruthy();
    expect((await outcomes).map(({ error }) => error)).toEqual(waiting.map(() => DOWN.error));
  });
});

describe('an address of a provider', () => {
  /** What is said of a provider that an owner enters. */
  const entered = async (issuer: string, { owner } = stage.workspace) => {
    const provider = { name: 'X', issuer };
    const { status, body } = await identity.send('POST', '/api/tenant/identity-providers', owner, provider);
    expect(status).toBe(422);
    return body.errors;
  };

  it.each([
    ['the issuer on loopback', 'https://127.0.0.1:9'],
    ['the issuer in a private network', 'https://10.0.0.1'],
    ['the issuer of a cloud', 'https://169.254.169.254'],
    ['the issuer as IPv6 loopback', 'https://[::1]'],
    ['the issuer without TLS', 'http://login.example.com'],
    ['an issuer with a query', 'https://login.acme-login.com/?a=b'],
    ['a document instead of the issuer', 'https://login.acme-login.com/.well-known/openid-configuration'],
  ])('(%s) is refused and not called', async (_what, issuer) => {
    expect(await entered(issuer)).toMatchObject([{ pointer: '/issuer', code: 'DISCOVERY_FAILED' }]);
  });

  it('that has a name is refused by what the name leads to, at each lookup (rebinding)', async () => {
    const host = `login.${stage.workspace.domain}`;
    for (const address of ['127.0.0.1', '10.1.2.3', '169.254.169.254', '100.64.0.1']) {
      stage.dns.addresses.set(host, address);
      expect(await entered(`https://${host}`)).toMatchObject([{ detail: expect.stringContaining('not public') }]);
    }
  });

  it.each(['authorization_endpoint', 'token_endpoint', 'jwks_uri', 'userinfo_endpoint'])(
    '(its %s) is checked like any other, and a hostile one is never called',
    async (name) => {
      const trap = await startReceiver({ tls: stage.tls });
      const hostile = await stage.proven();
      const others = ['https://169.254.169.254/latest', 'http://127.0.0.1:4001/', 'javascript:alert(1)'];
      for (const address of [trap.url, ...others]) {
        stage.another.metadata = { [name]: address };
        expect(await entered(stage.another.issuer, hostile)).toMatchObject([{ code: 'DISCOVERY_FAILED' }]);
      }
      expect(trap.requests).toEqual([]);
      await trap.close();
    },
  );

  it.each([
    ['says that it is another issuer', { issuer: 'https://login.example.com' }],
    ['signs with shared secrets only', { id_token_signing_alg_values_supported: ['HS256', 'none'] }],
    ['gives no code', { response_types_supported: ['id_token'] }],
    ['has no keys', { jwks_uri: undefined }],
  ])('is refused for a provider that %s', async (_what, metadata) => {
    stage.another.metadata = metadata;
    expect(await entered(stage.another.issuer)).toMatchObject([{ code: 'DISCOVERY_FAILED' }]);
  });
});
