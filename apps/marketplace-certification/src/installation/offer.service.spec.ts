import { describe, expect, it } from '@jest/globals';
import type { VersionStatus } from '../catalogue/version-state.js';
import { type OfferedApp, pickVersion } from './offer.service.js';

const app = (versions: Record<string, VersionStatus>, more: Partial<OfferedApp> = {}): OfferedApp => ({
  tenantId: 'publisher',
  visibility: 'public',
  firstPublishedAt: new Date(),
  versions: Object.entries(versions).map(([version, status]) => ({ id: version, version, status })),
  ...more,
});
const offered = app({ '1.0.0': 'deprecated', '1.1.0': 'published', '1.10.0': 'in_review', '1.9.0': 'approved' });
const unpublished = app({ '1.9.0': 'approved', '1.10.0': 'in_review' }, { firstPublishedAt: null });
const closed = app({ '1.0.0': 'published' }, { visibility: 'private' });
const unlisted = app({ '1.0.0': 'published' }, { visibility: 'unlisted' });

const live = { sandbox: false };
const sandbox = { sandbox: true };

describe('the version of an app that is installed', () => {
  it.each<[string, OfferedApp, string, Parameters<typeof pickVersion>[2], string]>([
    ['the published one', offered, 'tenant', live, '1.1.0'],
    ['the published one in a sandbox of the publisher too', offered, 'publisher', sandbox, '1.1.0'],
    ['the published one by its number', offered, 'tenant', { ...sandbox, version: '1.1.0' }, '1.1.0'],
    ['the newest under review in a sandbox of the publisher', unpublished, 'publisher', sandbox, '1.10.0'],
    ['another under review by its number', unpublished, 'publisher', { ...sandbox, version: '1.9.0' }, '1.9.0'],
    ['that of a private app for its publisher', closed, 'publisher', live, '1.0.0'],
    ['that of an unlisted app for everyone who knows its key', unlisted, 'tenant', live, '1.0.0'],
  ])('is %s', (_what, of, tenantId, wanted, version) => {
    expect(pickVersion(of, tenantId, wanted).version).toBe(version);
  });

  it.each<[string, OfferedApp | null, string, Parameters<typeof pickVersion>[2], string]>([
    ['one under review outside a sandbox', unpublished, 'publisher', live, 'APP_NOT_INSTALLABLE'],
    ['one under review of another publisher', unpublished, 'tenant', sandbox, 'NOT_FOUND'],
    ['that of an unpublished app of another publisher', unpublished, 'tenant', live, 'NOT_FOUND'],
    ['one under review by its number', offered, 'tenant', { ...sandbox, version: '1.10.0' }, 'NOT_FOUND'],
    ['that of a private app of another publisher', closed, 'tenant', live, 'NOT_FOUND'],
    ['that of no app', null, 'tenant', live, 'NOT_FOUND'],
    ['one that does not exist', offered, 'tenant', { ...live, version: '7.0.0' }, 'NOT_FOUND'],
  ])('is never %s', (_what, of, tenantId, wanted, code) => {
    expect(() => pickVersion(of, tenantId, wanted)).toThrow(expect.objectContaining({ code }) as never);
  });

  it.each<[VersionStatus, string, Parameters<typeof pickVersion>[2]]>([
    ['deprecated', 'tenant', live],
    ['suspended', 'tenant', live],
    ['revoked', 'tenant', live],
    ['rejected', 'publisher', sandbox],
    ['withdrawn', 'publisher', sandbox],
    ['changes_requested', 'publisher', sandbox],
  ])('is never one that is %s, for a %s', (status, tenantId, wanted) => {
    const refused = expect.objectContaining({ code: 'APP_NOT_INSTALLABLE' }) as never;
    const gone = app({ '1.0.0': status });
    expect(() => pickVersion(gone, tenantId, wanted)).toThrow(refused);
    expect(() => pickVersion(gone, tenantId, { ...wanted, version: '1.0.0' })).toThrow(refused);
  });
});
