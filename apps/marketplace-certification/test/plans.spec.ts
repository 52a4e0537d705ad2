import { newId } from '@crm/database';
import { explainStatements, exportedStatements, type TestDatabase, testDatabase } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { COUNT_APP_INSTALLATIONS, FIND_DECIDED_APP } from '../src/app-decision/app-decision.sql.js';
import { CLAIM_APP_KEY } from '../src/catalogue/app.sql.js';
import { COUNT_INSTALL } from '../src/install-count/install-count.sql.js';
import { ADD_INSTALLATION, COUNT_INSTALLATIONS } from '../src/installation/installation.sql.js';
import {
  CLAIM_WORK,
  FINISH_WORK,
  MEASURE_DUE_WORK,
  POSTPONE_WORK,
  RELEASE_WORK,
  RENEW_LEASE,
  START_WORK,
} from '../src/installation/installation-work.sql.js';
import { COUNT_LISTINGS, FIND_LISTING, LIST_LISTINGS } from '../src/listing/listing.sql.js';
import { migrations } from '../src/migrations/index.js';
import { COUNT_RATING, SAVE_RATING } from '../src/rating/rating.sql.js';
import {
  CLAIM_SUBMISSION,
  COUNT_SUBMISSIONS,
  FIND_REVIEWED_SUBMISSION,
  LIST_NEWEST_SUBMISSIONS,
  LIST_OLDEST_SUBMISSIONS,
  LIST_SUBMISSION_STEPS,
  LIST_SUBMISSIONS_BY_TURN,
  LOCK_REVIEWED_SUBMISSION,
  MEASURE_SUBMISSIONS,
  RELEASE_SUBMISSION,
} from '../src/review/review.sql.js';
import { ADD_WEBHOOK_SECRET, REPLACE_WEBHOOK_SECRET } from '../src/webhook-secret/webhook-secret.sql.js';

const ofRuntimeRole = {
  ADD_INSTALLATION,
  COUNT_INSTALL,
  COUNT_INSTALLATIONS,
  FINISH_WORK,
  POSTPONE_WORK,
  RENEW_LEASE,
  START_WORK,
};
const ofNarrowRole = {
  ADD_WEBHOOK_SECRET,
  CLAIM_APP_KEY,
  CLAIM_SUBMISSION,
  CLAIM_WORK,
  COUNT_APP_INSTALLATIONS,
  COUNT_SUBMISSIONS,
  FIND_DECIDED_APP,
  MEASURE_DUE_WORK,
  MEASURE_SUBMISSIONS,
  COUNT_LISTINGS,
  COUNT_RATING,
  FIND_LISTING,
  FIND_REVIEWED_SUBMISSION,
  LIST_LISTINGS,
  LIST_NEWEST_SUBMISSIONS,
  LIST_OLDEST_SUBMISSIONS,
  LIST_SUBMISSION_STEPS,
  LIST_SUBMISSIONS_BY_TURN,
  LOCK_REVIEWED_SUBMISSION,
  RELEASE_SUBMISSION,
  RELEASE_WORK,
  REPLACE_WEBHOOK_SECRET,
  SAVE_RATING,
};

describe('plans of the hand-written SQL of marketplace-certification', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await testDatabase('marketplace-certification', migrations);
  });
  afterAll(() => database?.drop());

  it('are what they were for the runtime role, in the context of a tenant', async () => {
    expect(await explainStatements({ url: database.config.url, tenantId: newId() }, ofRuntimeRole)).toMatchSnapshot();
  });

  it('are what they were for the narrow role', async () => {
    expect(await explainStatements({ url: database.config.narrowUrl }, ofNarrowRole)).toMatchSnapshot();
  });

  it('are looked at for every statement', async () => {
    const exported = await exportedStatements(new URL('../src/', import.meta.url));
    expect(Object.keys({ ...ofRuntimeRole, ...ofNarrowRole }).sort()).toEqual(exported);
  });
});
