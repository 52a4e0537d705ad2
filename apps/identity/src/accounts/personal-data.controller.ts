import { Readable } from 'node:stream';
import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe, IdParam, NotRepeatable } from '@crm/http';
import { Controller, Delete, Post, Query, StreamableFile } from '@nestjs/common';
import { PERSONAL_DATA_GROUP } from '../api-groups.js';
import { LeaveWorkspaceService } from './leave-workspace.service.js';
import { MemberAdministrationService } from './member-administration.service.js';
import { LeavingQuery, PersonalDataView } from './personal-data.dto.js';
import { PersonalDataExportService } from './personal-data.service.js';

const WHAT_GOES =
  "The account, its sessions, factors, and links are deleted immediately, and tokens stop working within a second. This can't be undone. Records and the audit trail keep the user's ID; the event `user.erased` tells apps to delete their data. The last owner has to make someone else an owner first (`CONFLICT`).";

@ApiGroup(PERSONAL_DATA_GROUP)
@Controller('api')
export class ErasureController {
  constructor(
    private readonly members: MemberAdministrationService,
    private readonly leaving: LeaveWorkspaceService,
  ) {}

  @Delete('auth/me')
  @Access({ right: 'read', proof: true, person: 'proof' })
  @Describe({
    summary: 'Delete your account in all workspaces',
    description: `${WHAT_GOES} \`workspaces\` of the error names the workspaces that would have no owner. A person with several workspaces needs a session that wasn't opened by an identity provider.`,
    answers: [{ status: 204, description: 'The user is permanently deleted' }],
    errors: ['STEP_UP_REQUIRED', 'CONFLICT'],
  })
  async eraseSelf(@CurrentPrincipal() principal: Principal): Promise<void> {
    await this.leaving.erasePerson(principal);
  }

  @Delete('auth/workspaces/:tenantId')
  @Access({ right: 'read', proof: true })
  @Describe({
    summary: 'Leave a workspace',
    description:
      "The current user's sessions, factors, API keys, and links in the workspace end immediately, and tokens stop working within a second. The workspace keeps the name; the person's other workspaces don't change. Leaving the last workspace frees the address. The last owner has to make someone else an owner first (`CONFLICT`). Any workspace other than the session's is `NOT_FOUND`: switch to it first.",
    answers: [{ status: 204, description: 'The current user has left' }],
    errors: ['NOT_FOUND', 'CONFLICT'],
  })
  async leave(
    @CurrentPrincipal() principal: Principal,
    @IdParam('tenantId') tenantId: string,
    @Query() { erase }: LeavingQuery,
  ): Promise<void> {
    await this.leaving.leave(principal, tenantId, erase === true);
  }

  @Post('admin/users/:id/erase')
  @NotRepeatable()
  @Access({ right: 'administer', proof: true })
  @Describe({
    summary: 'Permanently delete a user',
    description: `Not for users with a role higher than your own. Their other workspaces keep them. ${WHAT_GOES}`,
    answers: [{ status: 204, description: 'The user is permanently deleted' }],
    errors: ['ROLE_NOT_GRANTABLE', 'CONFLICT'],
  })
  async erase(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<void> {
    await this.members.erase(principal, id);
  }
}

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
