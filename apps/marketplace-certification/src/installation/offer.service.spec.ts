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
const refusal = (attempt: () => unknown): string => {
  try {
    attempt();
  } catch (error) {
    return (error as { code: string }).code;
  }
  return 'none';
};

describe('pickVersion', () => {
  const offered = app({ '1.0.0': 'deprecated', '1.1.0': 'published', '1.10.0': 'in_review', '1.9.0': 'approved' });

  it('picks the published version', () => {
    expect(pickVersion(offered, 'tenant', { sandbox: false }).version).toBe('1.1.0');
    expect(pickVersion(offered, 'publisher', { sandbox: true }).version).toBe('1.1.0');
    expect(pickVersion(offered, 'tenant', { sandbox: true, version: '1.1.0' }).version).toBe('1.1.0');
  });

  it('picks a version under review in a sandbox of the publisher only', () => {
    const unpublished = app({ '1.9.0': 'approved', '1.10.0': 'in_review' }, { firstPublishedAt: null });
    expect(pickVersion(unpublished, 'publisher', { sandbox: true }).version).toBe('1.10.0');
    expect(pickVersion(unpublished, 'publisher', { sandbox: true, version: '1.9.0' }).version).toBe('1.9.0');
    expect(refusal(() => pickVersion(unpublished, 'publisher', { sandbox: false }))).toBe('APP_NOT_INSTALLABLE');
    expect(refusal(() => pickVersion(unpublished, 'tenant', { sandbox: true }))).toBe('NOT_FOUND');
    expect(refusal(() => pickVersion(offered, 'tenant', { sandbox: true, version: '1.10.0' }))).toBe('NOT_FOUND');
  });

  it.each(['deprecated', 'suspended', 'revoked'] as const)('never picks a version that is %s', (status) => {
    const gone = app({ '1.0.0': status });
    expect(refusal(() => pickVersion(gone, 'tenant', { sandbox: false }))).toBe('APP_NOT_INSTALLABLE');
    expect(refusal(() => pickVersion(gone, 'tenant', { sandbox: false, version: '1.0.0' }))).toBe(
      'APP_NOT_INSTALLABLE',
    );
  });

  it.each(['rejected', 'withdrawn', 'changes_requested'] as const)(
    'does not pick a version that is %s, even for its publisher',
    (status) => {
      expect(refusal(() => pickVersion(app({ '1.0.0': status }), 'publisher', { sandbox: true }))).toBe(
        'APP_NOT_INSTALLABLE',
      );
    },
  );

  it('picks a version of a private app for its publisher only', () => {
    const closed = app({ '1.0.0': 'published' }, { visibility: 'private' });
    expect(refusal(() => pickVersion(closed, 'tenant', { sandbox: false }))).toBe('NOT_FOUND');
    expect(pickVersion(closed, 'publisher', { sandbox: false }).version).toBe('1.0.0');
  });

  it('picks a version of an unlisted app for everyone who knows its key', () => {
    expect(
      pickVersion(app({ '1.0.0': 'published' }, { visibility: 'unlisted' }), 'tenant', { sandbox: false }).version,
    ).toBe('1.0.0');
  });

  it('finds nothing when there is no such app or version', () => {
    expect(refusal(() => pickVersion(null, 'tenant', { sandbox: false }))).toBe('NOT_FOUND');
    expect(refusal(() => pickVersion(offered, 'tenant', { sandbox: false, version: '7.0.0' }))).toBe('NOT_FOUND');
  });
});
