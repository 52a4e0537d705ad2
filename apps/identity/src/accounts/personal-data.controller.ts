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
  'The account, its sessions, factors and links go at once, tokens stop working within a second, and nothing brings them back. Records keep the id of the user, and so does the audit trail; the event `user.erased` tells apps to erase what they have. The last owner makes somebody else an owner first (`CONFLICT`).';

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
    summary: 'Erases the current user, in every workspace of theirs',
    description: `${WHAT_GOES} \`workspaces\` of the refusal names the workspaces whose last owner the person is. A person of several workspaces needs a session that no identity provider opened.`,
    answers: [{ status: 204, description: 'The user is erased' }],
    errors: ['STEP_UP_REQUIRED', 'CONFLICT'],
  })
  async eraseSelf(@CurrentPrincipal() principal: Principal): Promise<void> {
    await this.leaving.erasePerson(principal);
  }

  @Delete('auth/workspaces/:tenantId')
  @Access({ right: 'read', proof: true })
  @Describe({
    summary: 'Leaves a workspace',
    description:
      'The sessions, factors, API keys and links of the current user in the workspace end at once, and tokens stop working within a second. The workspace keeps the name; other workspaces of the person stay as they are. Whoever leaves the last one is nobody any more: the address is free. The last owner makes somebody else an owner first (`CONFLICT`). Another workspace than that of the session is `NOT_FOUND`: switch to it first.',
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
    summary: 'Erases a user of the workspace',
    description: `Not a user with a role above your own. Their other workspaces keep them. ${WHAT_GOES}`,
    answers: [{ status: 204, description: 'The user is erased' }],
    errors: ['ROLE_NOT_GRANTABLE', 'CONFLICT'],
  })
  async erase(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<void> {
    await this.members.erase(principal, id);
  }
}

const WHAT_IS_IN_IT =
  'The account, second factors, passkeys, open sessions with their devices, invitations, changes of the e-mail address, links to host users and to identity providers, API keys, apps that act for the user, for whoever exports their own, in a session that no identity provider opened, the workspaces that they are in and that wait for them, and the entries of the audit trail that the user made or that are about them. Records of the workspace are not part of it. The export is recorded in the audit trail.';

@ApiGroup(PERSONAL_DATA_GROUP)
@Controller('api')
export class PersonalDataExportController {
  constructor(private readonly exports: PersonalDataExportService) {}

  @Post('auth/me/export')
  @NotRepeatable()
  @Access({ right: 'read', proof: true, person: 'reach' })
  @Describe({
    summary: 'Exports the personal data of the current user',
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
    summary: 'Exports the personal data of a user of the workspace',
    description: `Not of a user with a role above your own. ${WHAT_IS_IN_IT}`,
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
