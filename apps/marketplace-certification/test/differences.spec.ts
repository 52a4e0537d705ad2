import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { VersionRepository } from '../src/catalogue/version.repository.js';
import { QueueService } from '../src/review/queue.service.js';
import { type Fixture, useMarketplace } from './support/fixture.js';
import { theOperator } from './support/marketplace.js';
import { fieldService, newKey } from './support/packages.js';

let { marketplace, developer } = {} as Fixture;
useMarketplace((fixture) => {
  ({ marketplace, developer } = fixture);
});
afterEach(() => {
  jest.restoreAllMocks();
});

const submit = async (key: string, version: string): Promise<string> =>
  (await marketplace.submit(developer, fieldService(key, { version, name: `App ${version}` }))).body.submissionId;
const seen = async (key: string, version: string) =>
  (await marketplace.request(developer, 'GET', `/developer/apps/${key}/versions/${version}`)).body;

describe('the difference of two versions', () => {
  it('is computed once, however often developers and reviewers look at it', async () => {
    const key = newKey();
    await marketplace.publish(developer, key);
    const id = await submit(key, '1.1.0');
    const read = jest.spyOn(marketplace.service.get(VersionRepository), 'getManifest');
    const [first, ...others] = await Promise.all(Array.from({ length: 5 }, () => seen(key, '1.1.0')));
    expect(first).toMatchObject({ difference: { against: { version: '1.0.0', versionStatus: 'published' } } });
    for (const other of others) expect(other).toEqual(first);
    const { difference } = await marketplace.service.get(QueueService).get(theOperator, id);
    expect(first).toMatchObject({ difference });
    expect(read).toHaveBeenCalledTimes(2);
  });

  it('is another one against the version that is published next, and shows the state that a version has now', async () => {
    const key = newKey();
    await marketplace.publish(developer, key);
    const next = await submit(key, '1.1.0');
    await submit(key, '1.2.0');
    expect(await seen(key, '1.2.0')).toMatchObject({ difference: { against: { version: '1.0.0' } } });
    await marketplace.decide(next, 'publish', 'The warnings are known.');
    const shown = await seen(key, '1.2.0');
    expect(shown).toMatchObject({ difference: { against: { version: '1.1.0', versionStatus: 'published' } } });
    expect(await seen(key, '1.1.0')).toMatchObject({
      difference: { against: { version: '1.0.0', versionStatus: 'deprecated' } },
    });
  });

  it('is tried again after it could not be read', async () => {
    const key = newKey();
    await marketplace.publish(developer, key);
    const id = await submit(key, '1.1.0');
    const versions = marketplace.service.get(VersionRepository);
    jest.spyOn(versions, 'getManifest').mockRejectedValueOnce(new Error('The connection is lost'));
    const queue = marketplace.service.get(QueueService);
    await expect(queue.get(theOperator, id)).rejects.toThrow('The connection is lost');
    expect((await queue.get(theOperator, id)).difference).not.toBeNull();
  });
});
