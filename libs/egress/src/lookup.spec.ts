import { describe, expect, it } from '@jest/globals';
import { lookupChecked } from './resolver.js';

const answering = (...addresses: string[]) => lookupChecked('example.com', async () => addresses, { exempt: false });
const exempt = (...addresses: string[]) => lookupChecked('example.com', async () => addresses, { exempt: true });

describe('lookupChecked', () => {
  it('returns the addresses in the order of the resolver', async () => {
    expect(await answering('93.184.215.14', '2606:4700::1111')).toEqual(['93.184.215.14', '2606:4700::1111']);
  });

  it('returns an address without a lookup, if it is allowed', async () => {
    const never = () => Promise.reject(new Error('must not be called'));
    expect(await lookupChecked('8.8.8.8', never, { exempt: false })).toEqual(['8.8.8.8']);
    await expect(lookupChecked('10.0.0.1', never, { exempt: false })).rejects.toMatchObject({ code: 'blocked' });
  });

  it('refuses the whole answer because of one refused address, except for an exempt host', async () => {
    await expect(answering('93.184.215.14', '10.0.0.1')).rejects.toMatchObject({ code: 'blocked' });
    expect(await exempt('10.0.0.1')).toEqual(['10.0.0.1']);
    await expect(exempt('not-an-address')).rejects.toMatchObject({ code: 'blocked' });
  });

  it('fails with "dns" and the code of the resolver when a name has no address', async () => {
    await expect(answering()).rejects.toMatchObject({ code: 'dns' });
    const failing = (error: unknown) => lookupChecked('example.com', () => Promise.reject(error), { exempt: false });
    await expect(failing({ code: 'SERVFAIL' })).rejects.toThrow('(SERVFAIL)');
    await expect(failing(new Error('no code'))).rejects.toThrow(/could not be looked up$/);
  });
});
