import { Readable } from 'node:stream';
import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe, IdParam, NotRepeatable } from '@crm/http';
import { Controller, Post, StreamableFile } from '@nestjs/common';
import { PERSONAL_DATA_GROUP } from '../api-groups.js';
import { PersonalDataView } from './personal-data.dto.js';
import { PersonalDataExportService } from './personal-data-export.service.js';

const WHAT_IS_IN_IT =
  "Includes the account, second factors, passkeys, open sessions with their devices, invitations, email changes, links to host users and identity providers, API keys, connected apps, and audit trail entries by or about the user. Exporting your own data also includes your workspaces and workspace offers, unless an identity provider opened the session. Records of the workspace aren't included. The export is recorded in the audit trail.";

@ApiGroup(PERSONAL_DATA_GROUP)
@Controller('api')
export class PersonalDataExportController {
  constructor(private readonly exports: PersonalDataExportService) {}

  @Post('auth/me/export')
  @NotRepeatable()
  @Access({ right: 'read', proof: true, person: 'reach' })
  @Describe({
    summary: 'Export your personal data',
    description: WHAT_IS_IN_IT,
    answers: [{ status: 200, description: 'The archive', body: () => PersonalDataView }],
    errors: ['RATE_LIMITED'],
  })
  async exportOwn(@CurrentPrincipal() principal: Principal): Promise<StreamableFile> {
    return this.stream(principal, principal.userId);
  }

  @Post('admin/users/:id/export')
  @NotRepeatable()
  @Access({ right: 'administer', proof: true })
  @Describe({
    summary: "Export a user's personal data",
    description: `Not for users with a role higher than your own. ${WHAT_IS_IN_IT}`,
    answers: [{ status: 200, description: 'The archive', body: () => PersonalDataView }],
    errors: ['ROLE_NOT_GRANTABLE', 'RATE_LIMITED'],
  })
  async export(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<StreamableFile> {
    return this.stream(principal, id);
  }

  private async stream(principal: Principal, userId: string): Promise<StreamableFile> {
    const pieces = await this.exports.export(principal, userId);
    return new StreamableFile(Readable.from(pieces, { objectMode: false }), {
      type: 'application/json; charset=utf-8',
      disposition: 'attachment; filename="personal-data.json"',
    });
  }
}
