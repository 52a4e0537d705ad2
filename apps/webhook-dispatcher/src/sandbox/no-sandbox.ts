import { PlatformError } from '@crm/contracts';

/** @throws PlatformError CONFLICT */
export function refuseWithoutSandbox(appKey: string): never {
  throw new PlatformError(
    'CONFLICT',
    `${appKey} has no sandbox in this workspace; install it with \`"sandbox": true\` first`,
  );
}
