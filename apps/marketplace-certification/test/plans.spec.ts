import { newId } from '@crm/database';
import { explainStatements, type TestDatabase, testDatabase } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CLAIM_WORK, COUNT_INSTALLATIONS } from '../src/installation/installation.repository.js';
import { COUNT_LISTINGS, FIND_LISTING, LIST_LISTINGS } from '../src/listing/listing.repository.js';
import { migrations } from '../src/migrations/index.js';
import {
  COUNT_SUBMISSIONS,
  LIST_NEWEST_SUBMISSIONS,
  LIST_OLDEST_SUBMISSIONS,
  LIST_SUBMISSIONS_BY_TURN,
} from '../src/review/review.repository.js';

const ofNarrowRole = {
  CLAIM_WORK,
  COUNT_LISTINGS,
  COUNT_SUBMISSIONS,
  FIND_LISTING,
  LIST_LISTINGS,
  LIST_NEWEST_SUBMISSIONS,
  LIST_OLDEST_SUBMISSIONS,
  LIST_SUBMISSIONS_BY_TURN,
};

describe('plans of the hand-written reads and the claim of marketplace-certification', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await testDatabase('marketplace-certification', migrations);
  });
  afterAll(() => database?.drop());

  it('are what they were for the runtime role, in the context of a tenant', async () => {
    const { url } = database.config;
    expect(await explainStatements({ url, tenantId: newId() }, { COUNT_INSTALLATIONS })).toMatchSnapshot();
  });

  it('are what they were for the narrow role', async () => {
    expect(await explainStatements({ url: database.config.narrowUrl }, ofNarrowRole)).toMatchSnapshot();
  });
});
