import { Access } from '@crm/access';
import { ApiGroup } from '@crm/http';
import { Controller } from '@nestjs/common';
import { OPERATORS_SIGN_IN_GROUP } from '../api-groups.js';
import { passkeyRoutes } from '../passkeys/passkey.controller.js';
import { passkeyStepUpRoutes } from '../passkeys/passkey-proof.controller.js';
import { OperatorPasskeyService } from './operator-passkey.service.js';

@ApiGroup(OPERATORS_SIGN_IN_GROUP)
@Controller('operators/api/auth')
@Access({ right: 'read', proof: false })
export class OperatorsPasskeyController extends passkeyRoutes(
  { holder: 'operator', owner: 'the operator', secondFactor: 'authenticator' },
  passkeyStepUpRoutes('operator'),
) {
  constructor(override readonly passkeys: OperatorPasskeyService) {
    super();
  }
}
