import { newId } from '@crm/database';
import { explainStatements, exportedStatements, type TestDatabase, testDatabase } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { END_SIGN_INS_OF_TENANT } from '../src/accounts/accounts.repository.js';
import { ERASE_USER, LOCK_ERASED_USER, LOCK_OWNERS } from '../src/accounts/personal-data.repository.js';
import { DELETE_API_KEYS_OF_OWNER, NOTE_API_KEY_USE } from '../src/api-keys/api-key.repository.js';
import { DELETE_OLD_AUDIT_ENTRIES, FORGET_AUDIT_PLACES, RECORD_AUDIT_ENTRY } from '../src/audit/audit-trail.service.js';
import { STORE_EMBED_CLIENT } from '../src/embedding/embed-client.repository.js';
import { LIST_EMBED_CONFLICTS } from '../src/embedding/embed-conflict.service.js';
import { READ_EMBED_MINT, READ_KNOWN_EMBED_MINTS } from '../src/embedding/embed-mint.repository.js';
import { LOCK_HOST_USER } from '../src/embedding/embed-user.repository.js';
import { CLAIM_MAIL, MEASURE_DUE_MAIL, RELEASE_MAIL } from '../src/mail/mail.repository.js';
import { migrations } from '../src/migrations/index.js';
import {
  END_OAUTH_INSTALLATION,
  READ_OAUTH_CLIENT,
  READ_OAUTH_INSTALLATION,
  REGISTER_OAUTH_INSTALLATION,
  ROTATE_OAUTH_SECRET,
} from '../src/oauth/client.repository.js';
import {
  DELETE_GRANT,
  DELETE_GRANTS_OF_USER,
  FIND_GRANT_TOKEN,
  LOCK_AUTHORIZATION_CODE,
  TOUCH_GRANT,
} from '../src/oauth/grant.repository.js';
import { CLAIM_EMAIL, LIST_SIGN_IN_CANDIDATES } from '../src/people/email.repository.js';
import { HOLD_ADMINISTRATORS_TO_TELL, LOCK_USER_FOR_ISSUE, READ_SIGN_IN_USER } from '../src/people/user.repository.js';
import { READ_PROOF_WAYS } from '../src/sessions/proof.service.js';
import {
  FIND_SPENT_REFRESH_TOKEN,
  ROTATE_REFRESH_TOKEN,
  STORE_REFRESH_TOKEN,
} from '../src/sessions/refresh-token.repository.js';
import { COLLECT_CUTOFFS, DELETE_LIFTED_SUSPENSIONS, RECORD_CUTOFF } from '../src/sessions/revocation.repository.js';
import {
  DATE_PROOF,
  DELETE_SESSIONS_OF_USER,
  END_PENDING_SIGN_INS,
  NOTE_PROOF,
  OPEN_SESSION,
  TOUCH_SESSION,
} from '../src/sessions/session.repository.js';
import { LOCK_SIGNING_KEYS, WITHDRAW_SIGNING_KEYS } from '../src/sessions/signing-key.repository.js';
import { TAKE_GUESS, WAIT_OF_GUESS } from '../src/sign-in/code-guess.service.js';
import {
  FIND_AUTHENTICATOR_IN_USE,
  READ_SIGN_IN_POLICY,
  START_ENROLMENT,
  TAKE_TRY,
  USE_STEP,
} from '../src/sign-in/factor.repository.js';
import { FIND_ACCOUNT_EMAIL } from '../src/sign-in/factor-notice.service.js';
import { FIND_ANY_PASSKEY, SPEND_CHALLENGE, USE_PASSKEY } from '../src/sign-in/passkey.repository.js';
import { CLAIM_DOMAIN, TAKE_DUE_DOMAINS } from '../src/single-sign-on/domain.repository.js';
import { LOCK_SUBJECT } from '../src/single-sign-on/provider.repository.js';

const ofRuntimeRole = {
  END_PENDING_SIGN_INS,
  DELETE_API_KEYS_OF_OWNER,
  DELETE_SESSIONS_OF_USER,
  FIND_ANY_PASSKEY,
  END_SIGN_INS_OF_TENANT,
  FIND_AUTHENTICATOR_IN_USE,
  FIND_ACCOUNT_EMAIL,
  DELETE_GRANT,
  DELETE_GRANTS_OF_USER,
  FIND_GRANT_TOKEN,
  HOLD_ADMINISTRATORS_TO_TELL,
  LOCK_AUTHORIZATION_CODE,
  LOCK_HOST_USER,
  LOCK_USER_FOR_ISSUE,
  OPEN_SESSION,
  READ_PROOF_WAYS,
  READ_SIGN_IN_POLICY,
  READ_SIGN_IN_USER,
  FORGET_AUDIT_PLACES,
  RECORD_AUDIT_ENTRY,
  NOTE_API_KEY_USE,
  NOTE_PROOF,
  DATE_PROOF,
  RECORD_CUTOFF,
  SPEND_CHALLENGE,
  START_ENROLMENT,
  TAKE_GUESS,
  TAKE_TRY,
  TOUCH_GRANT,
  TOUCH_SESSION,
  USE_PASSKEY,
  USE_STEP,
  WAIT_OF_GUESS,
};
const ofNarrowRole = {
  CLAIM_DOMAIN,
  LOCK_SUBJECT,
  TAKE_DUE_DOMAINS,
  CLAIM_EMAIL,
  CLAIM_MAIL,
  COLLECT_CUTOFFS,
  DELETE_LIFTED_SUSPENSIONS,
  DELETE_OLD_AUDIT_ENTRIES,
  ERASE_USER,
  END_OAUTH_INSTALLATION,
  LIST_EMBED_CONFLICTS,
  LIST_SIGN_IN_CANDIDATES,
  LOCK_ERASED_USER,
  LOCK_OWNERS,
  LOCK_SIGNING_KEYS,
  MEASURE_DUE_MAIL,
  READ_EMBED_MINT,
  READ_KNOWN_EMBED_MINTS,
  READ_OAUTH_CLIENT,
  READ_OAUTH_INSTALLATION,
  REGISTER_OAUTH_INSTALLATION,
  RELEASE_MAIL,
  FIND_SPENT_REFRESH_TOKEN,
  ROTATE_OAUTH_SECRET,
  ROTATE_REFRESH_TOKEN,
  STORE_EMBED_CLIENT,
  STORE_REFRESH_TOKEN,
  WITHDRAW_SIGNING_KEYS,
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
