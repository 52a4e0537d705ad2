import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { headerCall, IdempotencyKey } from '@crm/database';
import { ApiGroup, Describe, IdParam, type ListAnswer } from '@crm/http';
import { Body, Controller, Delete, Get, HttpCode, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { INSTALLATIONS } from '../api-groups.js';
import { ConsentPreviewView, InstallationQuery, InstallationView, InstallInput } from './installation.dto.js';
import { InstallationService } from './installation.service.js';

@ApiGroup(INSTALLATIONS)
@Controller('api/marketplace/installs')
export class InstallationController {
  constructor(private readonly installations: InstallationService) {}

  @Post()
  @Access({ right: 'administer', proof: false })
  @Describe({
    summary: 'Install an app',
    description:
      "Creates the app's objects, workflows, and subscriptions. If one part fails, everything is rolled back and its error is returned.",
    answers: [
      { status: 201, description: 'The app is installed', body: () => InstallationView },
      {
        status: 202,
        description: 'The app is still being installed. Get the installation until its state changes',
        body: () => InstallationView,
      },
    ],
    errors: ['ALREADY_INSTALLED', 'APP_NOT_INSTALLABLE', 'OBJECT_LIMIT_EXCEEDED'],
  })
  async install(
    @CurrentPrincipal() principal: Principal,
    @Body() input: InstallInput,
    @IdempotencyKey() key: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<InstallationView> {
    const call = headerCall(principal, 'POST /api/marketplace/installs', key, input);
    const installation = await this.installations.install(principal, input, call);
    reply.status(installation.state === 'installing' ? 202 : 201);
    return installation;
  }

  @Post('preview')
  @HttpCode(200)
  @Access({ right: 'administer', proof: false })
  @Describe({
    summary: 'Preview the consent to an installation',
    description:
      'Takes the same body as the installation, without starting it. The notices say what a sandbox works with, which fields formulas open, and which roles the app shares with others.',
    answers: [{ status: 200, description: 'What the app asks for', body: () => ConsentPreviewView }],
    errors: ['APP_NOT_INSTALLABLE'],
  })
  preview(@CurrentPrincipal() principal: Principal, @Body() input: InstallInput): Promise<ConsentPreviewView> {
    return this.installations.preview(principal, input);
  }

  @Get()
  @Access({ right: 'read' })
  @Describe({
    summary: 'List installations',
    description: 'Leaves out removed and failed installations unless `state` asks for them.',
    answers: [
      { status: 200, description: 'The installations, newest first', body: () => InstallationView, list: true },
    ],
  })
  list(
    @CurrentPrincipal() principal: Principal,
    @Query() query: InstallationQuery,
  ): Promise<ListAnswer<InstallationView>> {
    return this.installations.list(principal, query);
  }

  @Get(':id')
  @Access({ right: 'read' })
  @Describe({
    summary: 'Get an installation',
    description: 'Admins see complete hook URLs; each view is recorded in the audit trail.',
    answers: [{ status: 200, description: 'The installation', body: () => InstallationView }],
  })
  get(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<InstallationView> {
    return this.installations.get(principal, id);
  }

  @Delete(':id')
  @Access({ right: 'administer', proof: false })
  @Describe({
    summary: 'Uninstall an app',
    description: "The app's workflows, subscriptions, and tokens stop working. Records in its objects are kept.",
    answers: [
      { status: 200, description: 'The app is uninstalled', body: () => InstallationView },
      { status: 202, description: 'The app is still being uninstalled', body: () => InstallationView },
    ],
  })
  async uninstall(
    @CurrentPrincipal() principal: Principal,
    @IdParam() id: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<InstallationView> {
    const installation = await this.installations.uninstall(principal, id);
    reply.status(installation.state === 'uninstalling' ? 202 : 200);
    return installation;
  }
}
