/**
 * Who is signed in to the host. Yours reads the session cookie; this one has a single user.
 * @param {import('node:http').IncomingMessage} _request
 * @returns {import('@crm/sdk/embed/server').HostUser | undefined}
 */
export const signedInUser = (_request) => ({
  sub: 'host-user-1',
  email: 'grace@host.example.com',
  name: 'Grace Hopper',
});
