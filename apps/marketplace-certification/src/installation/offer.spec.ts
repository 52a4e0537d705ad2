import type { VersionStatus } from '@crm/contracts';
import { describe, expect, it } from '@jest/globals';
import { type OfferedApp, pickVersion } from './offer.js';

const app = (versions: Record<string, VersionStatus>, more: Partial<OfferedApp> = {}): OfferedApp => ({
  tenantId: 'publisher',
  visibility: 'public',
  everPublished: true,
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

describe('the version that an install takes', () => {
  const offered = app({ '1.0.0': 'deprecated', '1.1.0': 'published', '1.10.0': 'in_review', '1.9.0': 'approved' });

  it('is the published one', () => {
    expect(pickVersion(offered, 'tenant', { sandbox: false }).version).toBe('1.1.0');
    expect(pickVersion(offered, 'publisher', { sandbox: true }).version).toBe('1.1.0');
    expect(pickVersion(offered, 'tenant', { sandbox: true, version: '1.1.0' }).version).toBe('1.1.0');
  });

  it('is, in the sandbox of the publisher alone, one under review', () => {
    const unpublished = app({ '1.9.0': 'approved', '1.10.0': 'in_review' }, { everPublished: false });
    expect(pickVersion(unpublished, 'publisher', { sandbox: true }).version).toBe('1.10.0');
    expect(pickVersion(unpublished, 'publisher', { sandbox: true, version: '1.9.0' }).version).toBe('1.9.0');
    expect(refusal(() => pickVersion(unpublished, 'publisher', { sandbox: false }))).toBe('APP_NOT_INSTALLABLE');
    expect(refusal(() => pickVersion(unpublished, 'tenant', { sandbox: true }))).toBe('NOT_FOUND');
    expect(refusal(() => pickVersion(offered, 'tenant', { sandbox: true, version: '1.10.0' }))).toBe('NOT_FOUND');
  });

  it.each(['deprecated', 'suspended', 'revoked'] as const)('is never one that is %s', (status) => {
    const gone = app({ '1.0.0': status });
    expect(refusal(() => pickVersion(gone, 'tenant', { sandbox: false }))).toBe('APP_NOT_INSTALLABLE');
    expect(refusal(() => pickVersion(gone, 'tenant', { sandbox: false, version: '1.0.0' }))).toBe(
      'APP_NOT_INSTALLABLE',
    );
  });

  it.each(['rejected', 'withdrawn', 'changes_requested'] as const)(
    'is not one that is %s, even for its publisher',
    (status) => {
      expect(refusal(() => pickVersion(app({ '1.0.0': status }), 'publisher', { sandbox: true }))).toBe(
        'APP_NOT_INSTALLABLE',
      );
    },
  );

  it('of a private app is the publisher’s only', () => {
    const closed = app({ '1.0.0': 'published' }, { visibility: 'private' });
    expect(refusal(() => pickVersion(closed, 'tenant', { sandbox: false }))).toBe('NOT_FOUND');
    expect(pickVersion(closed, 'publisher', { sandbox: false }).version).toBe('1.0.0');
  });

  it('of an unlisted app is for everybody who knows its key', () => {
    expect(
      pickVersion(app({ '1.0.0': 'published' }, { visibility: 'unlisted' }), 'tenant', { sandbox: false }).version,
    ).toBe('1.0.0');
  });

  it('is not found when there is no such app or version', () => {
    expect(refusal(() => pickVersion(undefined, 'tenant', { sandbox: false }))).toBe('NOT_FOUND');
    expect(refusal(() => pickVersion(offered, 'tenant', { sandbox: false, version: '7.0.0' }))).toBe('NOT_FOUND');
  });
});
