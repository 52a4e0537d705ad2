import { newId } from '@crm/database';
import { explainStatements, type TestDatabase, testDatabase } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NOTE_API_KEY_USE } from '../src/api-keys/api-key.repository.js';
import { RECORD_AUDIT_ENTRY } from '../src/audit/audit-trail.service.js';
import { READ_EMBED_MINT, READ_KNOWN_EMBED_MINTS } from '../src/embedding/embed-mint.repository.js';
import { TAKE_GUESS } from '../src/guesses/code-guess.service.js';
import { CLAIM_MAIL } from '../src/mail/mail.repository.js';
import { migrations } from '../src/migrations/index.js';
import { LOCK_AUTHORIZATION_CODE } from '../src/oauth/authorization-code.repository.js';
import { READ_OAUTH_CLIENT, READ_OAUTH_INSTALLATION } from '../src/oauth/client.repository.js';
import { TOUCH_GRANT } from '../src/oauth/grant.repository.js';
import { FIND_GRANT_TOKEN } from '../src/oauth/grant-token.repository.js';
import { FIND_ANY_PASSKEY } from '../src/passkeys/passkey.repository.js';
import {
  FIND_ACCOUNT,
  FIND_LOCAL_BY_KEY,
  FIND_MEMBERSHIP,
  FIND_SIGN_IN_HOLDER,
  NOTE_WORKSPACE_USED,
} from '../src/people/person.repository.js';
import { READ_SIGN_IN_POLICY } from '../src/people/sign-in-policy.repository.js';
import { LOCK_USER_FOR_ISSUE, READ_SIGN_IN_USER } from '../src/people/user.repository.js';
import { FIND_AUTHENTICATOR_IN_USE } from '../src/second-factor/authenticator.repository.js';
import {
  FIND_SPENT_REFRESH_TOKEN,
  ROTATE_REFRESH_TOKEN,
  STORE_REFRESH_TOKEN,
} from '../src/sessions/refresh-token.repository.js';
import { OPEN_SESSION, TOUCH_SESSION } from '../src/sessions/session.repository.js';

/** Statements of sign-in, refresh, mint and key exchange: each runs once or more a request. */
const ofRuntimeRole = {
  FIND_ANY_PASSKEY,
  FIND_AUTHENTICATOR_IN_USE,
  FIND_GRANT_TOKEN,
  LOCK_AUTHORIZATION_CODE,
  LOCK_USER_FOR_ISSUE,
  NOTE_API_KEY_USE,
  OPEN_SESSION,
  READ_SIGN_IN_POLICY,
  READ_SIGN_IN_USER,
  RECORD_AUDIT_ENTRY,
  TAKE_GUESS,
  TOUCH_GRANT,
  TOUCH_SESSION,
};
const ofNarrowRole = {
  CLAIM_MAIL,
  FIND_ACCOUNT,
  FIND_LOCAL_BY_KEY,
  FIND_MEMBERSHIP,
  FIND_SIGN_IN_HOLDER,
  FIND_SPENT_REFRESH_TOKEN,
  READ_EMBED_MINT,
  READ_KNOWN_EMBED_MINTS,
  NOTE_WORKSPACE_USED,
  READ_OAUTH_CLIENT,
  READ_OAUTH_INSTALLATION,
  ROTATE_REFRESH_TOKEN,
  STORE_REFRESH_TOKEN,
};

describe('plans of the hand-written SQL of identity', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await testDatabase('identity', migrations);
  });
  afterAll(() => database?.drop());

  it('match the snapshot for the runtime role, in the context of a tenant', async () => {
    expect(await explainStatements({ url: database.config.url, tenantId: newId() }, ofRuntimeRole)).toMatchSnapshot();
  });

  it('match the snapshot for the narrow role', async () => {
    expect(await explainStatements({ url: database.config.narrowUrl }, ofNarrowRole)).toMatchSnapshot();
  });
});
