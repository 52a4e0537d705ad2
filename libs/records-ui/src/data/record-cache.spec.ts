import type { CrmRecord } from '@crm/api-client';
import { expect, it } from '@jest/globals';
import { MutationObserver, QueryClient } from '@tanstack/react-query';
import { deletion, listKey, recordKey } from './record-cache.js';

const RECORD: CrmRecord = { id: '1', version: 1, createdAt: '', updatedAt: '' };

it.each([
  ['of a version that is not the latest leads to the record being loaded again', 'VERSION_MISMATCH', true, false],
  ['that succeeds forgets the record and loads the lists again', undefined, undefined, true],
])('a deletion %s', async (_, refusal, isRecordStale, isListStale) => {
  const client = new QueryClient();
  client.setQueryData(recordKey('leads', '1'), RECORD);
  client.setQueryData(listKey('leads'), []);
  const api = { delete: () => (refusal ? Promise.reject(new Error(refusal)) : Promise.resolve(undefined as never)) };
  const deleted = new MutationObserver(client, deletion(api, client, 'leads')).mutate(RECORD);
  await (refusal ? expect(deleted).rejects.toThrow(refusal) : deleted);
  const isStale = (key: readonly string[]) => client.getQueryState(key)?.isInvalidated;
  expect([isStale(recordKey('leads', '1')), isStale(listKey('leads'))]).toEqual([isRecordStale, isListStale]);
  client.clear();
});
