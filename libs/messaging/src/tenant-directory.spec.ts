import { PlatformError } from '@crm/contracts';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Rpc } from './rpc/rpc.js';
import { TenantDirectory } from './tenant-directory.js';

const TENANT = { id: 't', name: 'Globex', plan: 'business', timeZone: 'Europe/Berlin', country: 'DE' };

describe('the tenant directory', () => {
  const call = jest.fn<() => Promise<object>>();
  let directory: TenantDirectory;

  beforeEach(() => {
    jest.useFakeTimers();
    call.mockReset().mockResolvedValue(TENANT);
    directory = new TenantDirectory({ call } as unknown as Rpc);
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('asks once for requests that come together, and again after a minute', async () => {
    await Promise.all([directory.get('t'), directory.get('t')]);
    await directory.get('t');
    expect(call).toHaveBeenCalledTimes(1);
    jest.advanceTimersByTime(61_000);
    call.mockResolvedValue({ ...TENANT, timeZone: 'Asia/Tokyo' });
    expect(await directory.get('t')).toMatchObject({ timeZone: 'Asia/Tokyo' });
  });

  it('keeps what it knows while identity does not answer, and asks again after a few seconds', async () => {
    await directory.get('t');
    jest.advanceTimersByTime(61_000);
    call.mockRejectedValue(new PlatformError('SERVICE_UNAVAILABLE', 'Nobody answers'));
    expect(await directory.get('t')).toEqual(TENANT);
    expect(await directory.get('t')).toEqual(TENANT);
    expect(call).toHaveBeenCalledTimes(2);
    jest.advanceTimersByTime(6_000);
    call.mockResolvedValue({ ...TENANT, timeZone: 'Asia/Tokyo' });
    expect(await directory.get('t')).toMatchObject({ timeZone: 'Asia/Tokyo' });
  });

  it('has nothing to say of a tenant that it does not know while identity does not answer', async () => {
    call.mockRejectedValue(new PlatformError('DEADLINE_EXCEEDED', 'No answer in time'));
    await expect(directory.get('t')).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
  });

  it('answers who waits for a call while another one is answered', async () => {
    let answer: (tenant: object) => void = () => undefined;
    call.mockReturnValueOnce(
      new Promise((resolve) => {
        answer = resolve;
      }),
    );
    const waiting = directory.get('t');
    await directory.getCurrent('t');
    answer({ ...TENANT, name: 'Earlier' });
    expect(await waiting).toMatchObject({ id: 't' });
    expect(await directory.get('t')).toEqual(TENANT);
  });

  it('does not keep a tenant that identity no longer knows', async () => {
    await directory.get('t');
    jest.advanceTimersByTime(61_000);
    call.mockRejectedValue(new PlatformError('NOT_FOUND', 'Tenant not found'));
    await expect(directory.get('t')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('asks for the plan each time', async () => {
    await directory.getCurrent('t');
    await directory.getCurrent('t');
    expect(call).toHaveBeenCalledTimes(2);
    await directory.get('t');
    expect(call).toHaveBeenCalledTimes(2);
  });
});
