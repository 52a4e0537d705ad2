import type { ReceiverCertificate } from '@crm/testing';
import { generate } from 'selfsigned';

const IP_ADDRESS = 7;

/** A certificate for 127.0.0.1 that providers of a test share. */
export async function certificate(): Promise<ReceiverCertificate> {
  const { private: key, cert } = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: [{ type: IP_ADDRESS, ip: '127.0.0.1' }] },
    ],
  });
  return { key, cert, ca: cert };
}
