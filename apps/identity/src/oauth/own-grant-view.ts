import { grantView } from './grant-view.js';
import type { OwnGrantView } from './own-grant.dto.js';
import type { OwnGrant } from './own-grant.service.js';

export const ownGrantView = (grant: OwnGrant): OwnGrantView => ({
  ...grantView(grant),
  requiredScopes: grant.requiredScopes,
});
