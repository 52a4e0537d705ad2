import { newId } from '@crm/database';
import { explainStatements, exportedStatements, type TestDatabase, testDatabase } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CLAIM_EMAIL } from '../src/accounts/user/sign-in-email.sql.js';
import { STORE_EMBED_CLIENT } from '../src/embedding/embed-client/embed-client.sql.js';
import { LIST_EMBED_CONFLICTS } from '../src/embedding/embed-conflict/embed-conflict.sql.js';
import { READ_EMBED_MINT } from '../src/embedding/embed-token/embed-mint.sql.js';
import { LOCK_HOST_USER } from '../src/embedding/embed-user/embed-user.sql.js';
import { LOCK_SIGNING_KEYS } from '../src/keys/signing-key.sql.js';
import { CLAIM_MAIL, MEASURE_DUE_MAIL, RELEASE_MAIL } from '../src/mail/mail.sql.js';
import { migrations } from '../src/migrations/index.js';
import {
  DELETE_GRANTS_OF_USER,
  FIND_GRANT_TOKEN,
  LOCK_AUTHORIZATION_CODE,
  TOUCH_GRANT,
} from '../src/oauth/grant/grant.sql.js';
import {
  END_OAUTH_INSTALLATION,
  READ_OAUTH_CLIENT,
  READ_OAUTH_INSTALLATION,
  REGISTER_OAUTH_INSTALLATION,
  ROTATE_OAUTH_SECRET,
} from '../src/oauth/installation/oauth-installation.sql.js';
import { FIND_SPENT_REFRESH_TOKEN, ROTATE_REFRESH_TOKEN } from '../src/sessions/refresh-token/refresh-token.sql.js';
import { COLLECT_CUTOFFS, RECORD_CUTOFF } from '../src/sessions/revocation/revocation.sql.js';
import { DELETE_SESSIONS_OF_USER, TOUCH_SESSION } from '../src/sessions/session/session.sql.js';
import { START_ENROLMENT, USE_STEP } from '../src/sign-in/authenticator/authenticator.sql.js';
import { TAKE_GUESS, WAIT_OF_GUESS } from '../src/sign-in/code-guess/code-guess.sql.js';
import { TAKE_TRY } from '../src/sign-in/mfa/mfa-challenge.sql.js';

const ofRuntimeRole = {
  DELETE_GRANTS_OF_USER,
  DELETE_SESSIONS_OF_USER,
  FIND_GRANT_TOKEN,
  LOCK_AUTHORIZATION_CODE,
  LOCK_HOST_USER,
  RECORD_CUTOFF,
  START_ENROLMENT,
  TAKE_GUESS,
  TAKE_TRY,
  TOUCH_GRANT,
  TOUCH_SESSION,
  USE_STEP,
  WAIT_OF_GUESS,
};
const ofNarrowRole = {
  CLAIM_EMAIL,
  CLAIM_MAIL,
  COLLECT_CUTOFFS,
  END_OAUTH_INSTALLATION,
  LIST_EMBED_CONFLICTS,
  LOCK_SIGNING_KEYS,
  MEASURE_DUE_MAIL,
  READ_EMBED_MINT,
  READ_OAUTH_CLIENT,
  READ_OAUTH_INSTALLATION,
  REGISTER_OAUTH_INSTALLATION,
  RELEASE_MAIL,
  FIND_SPENT_REFRESH_TOKEN,
  ROTATE_OAUTH_SECRET,
  ROTATE_REFRESH_TOKEN,
  STORE_EMBED_CLIENT,
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

  it('cover every exported statement', async () => {
    const exported = await exportedStatements(new URL('../src/', import.meta.url));
    expect(Object.keys({ ...ofRuntimeRole, ...ofNarrowRole }).sort()).toEqual(exported);
  });
});
