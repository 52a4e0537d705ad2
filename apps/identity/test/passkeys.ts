import { type Account, type Answer, type TestIdentity, USERS } from './identity.js';
import { type Algorithm, type Deviation, SoftwareAuthenticator } from './software-authenticator.js';

/** An authenticator, and a browser at the page where the passkeys of users are used. */
export const newAuthenticator = (algorithm?: Algorithm, settings?: { counts?: boolean; backedUp?: boolean }) =>
  new SoftwareAuthenticator(USERS.origins[0] ?? '', algorithm, settings);

/** What a browser is asked, of the answer of a service. */
export interface Options {
  challengeId: string;
  publicKey: Record<string, unknown> & { challenge: string };
}

export const optionsFor = async (identity: TestIdentity, path: string, token?: string): Promise<Options> => {
  const { status, body } = await identity.post(path, undefined, token);
  if (status !== 200) throw new Error(`Options: ${JSON.stringify(body)}`);
  return body as unknown as Options;
};

export const signInOptions = (identity: TestIdentity) => optionsFor(identity, '/api/auth/login/passkey/options');

/** Sets up a passkey. */
export async function register(
  identity: TestIdentity,
  { accessToken }: Pick<Account, 'accessToken'>,
  authenticator: SoftwareAuthenticator,
  deviation: Deviation = {},
  name?: string,
): Promise<Answer> {
  const { challengeId, publicKey } = await optionsFor(identity, '/api/auth/passkeys/options', accessToken);
  const credential = authenticator.create(publicKey, deviation);
  return identity.post('/api/auth/passkeys', { challengeId, credential, name }, accessToken);
}

/** Signs in with a passkey. */
export async function signIn(
  identity: TestIdentity,
  authenticator: SoftwareAuthenticator,
  deviation: Deviation = {},
): Promise<Answer> {
  const { challengeId, publicKey } = await signInOptions(identity);
  return answer(identity, challengeId, authenticator.get(publicKey, deviation));
}

export const answer = (identity: TestIdentity, challengeId: string, credential: object): Promise<Answer> =>
  identity.post('/api/auth/login/passkey', { challengeId, credential });

/** An account with a passkey. */
export async function passkeyAccount(
  identity: TestIdentity,
  algorithm: Algorithm = 'ES256',
  settings?: { counts?: boolean; backedUp?: boolean },
): Promise<{ account: Account; authenticator: SoftwareAuthenticator; passkeyId: string }> {
  const account = await identity.account();
  const authenticator = newAuthenticator(algorithm, settings);
  const { status, body } = await register(identity, account, authenticator);
  if (status !== 201) throw new Error(`Registration: ${JSON.stringify(body)}`);
  return { account, authenticator, passkeyId: body.id };
}

/** The subjects of the mails that wait for an account's tenant. */
export async function mailSubjects(identity: TestIdentity, tenantId: string): Promise<string[]> {
  const mails = await identity.query<{ subject: string }>(tenantId, 'SELECT subject FROM mail ORDER BY id');
  return mails.map(({ subject }) => subject);
}
