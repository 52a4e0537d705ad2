// Judging addresses, host names and URLs.
import { checkAddress, checkHostname, checkUrl } from '@crm/address-policy';
import { timeOf } from '../measure.mjs';

/** Public and refused ones in turn; a public IPv4 address is compared with every range. */
const ADDRESSES = [
  '93.184.215.14',
  '10.1.2.3',
  '8.8.8.8',
  '255.255.255.255',
  '2606:4700:4700::1111',
  'fe80::1',
  '2a00:1450:4001:0830:0000:0000:0000:200e',
  '::ffff:169.254.169.254',
];
const NAMES = ['hooks.acme.example.com', 'localhost', 'metadata.google.internal', 'api.eu-central-1.acme.io'];
const URLS = [
  'https://hooks.acme.example.com/in/7?x=1',
  'https://2130706433/',
  'https://[::1]:8443/',
  'https://bücher.de/',
];

/**
 * @param {readonly string[]} inputs
 * @param {(input: string) => unknown} judge
 */
function microsecondsOf(inputs, judge) {
  return timeOf((index) => judge(inputs[index % inputs.length] ?? '')) / 1000;
}

export function measure() {
  return [
    { name: 'address policy: an address', unit: 'µs', ours: microsecondsOf(ADDRESSES, checkAddress), atMost: 5 },
    {
      name: 'address policy: a host name',
      unit: 'µs',
      ours: microsecondsOf(NAMES, (name) => checkHostname(name)),
      atMost: 5,
    },
    { name: 'address policy: a URL', unit: 'µs', ours: microsecondsOf(URLS, (url) => checkUrl(url)), atMost: 20 },
  ];
}
