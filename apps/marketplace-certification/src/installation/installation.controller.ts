import { Access, CurrentPrincipal } from '@crm/access';
import { type Principal } from '@crm/context';
import { Describe, IdParam, type ListAnswer } from '@crm/http';
import { headerCall, IdempotencyKey } from '@crm/idempotency';
import { Body, Controller, Delete, Get, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { InstallationAnswer, InstallationQuery, InstallInput } from './installation.dto.js';
import { InstallationService } from './installation.service.js';

@Controller('api/marketplace/installs')
export class InstallationController {
  constructor(private readonly installations: InstallationService) {}

  @Post()
  @Access({ right: 'administer' })
  @Describe({
    summary: 'Installs an app, all of it or nothing',
    answers: [
      { status: 201, description: 'Installed', body: () => InstallationAnswer },
      { status: 202, description: 'Still being installed; ask for it by its id', body: () => InstallationAnswer },
    ],
    refusals: ['ALREADY_INSTALLED', 'APP_NOT_INSTALLABLE'],
  })
  async install(
    @CurrentPrincipal() principal: Principal,
    @Body() input: InstallInput,
    @IdempotencyKey() key: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<InstallationAnswer> {
    const call = headerCall(principal, 'POST /api/marketplace/installs', key, input);
    const installation = await this.installations.install(principal, input, call);
    reply.status(installation.state === 'installing' ? 202 : 201);
    return installation;
  }

  @Get()
  @Access({ right: 'read' })
  @Describe({
    summary: "The workspace's installed apps",
    answers: [{ status: 200, description: 'The newest first', body: () => InstallationAnswer, list: true }],
  })
  list(
    @CurrentPrincipal() principal: Principal,
    @Query() query: InstallationQuery,
  ): Promise<ListAnswer<InstallationAnswer>> {
    return this.installations.list(principal, query);
  }

  @Get(':id')
  @Access({ right: 'read' })
  @Describe({
    summary: 'An installation with its steps',
    answers: [{ status: 200, description: 'Hook addresses for administrators only', body: () => InstallationAnswer }],
  })
  find(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<InstallationAnswer> {
    return this.installations.find(principal, id);
  }

  @Delete(':id')
  @Access({ right: 'administer' })
  @Describe({
    summary: 'Removes an app; what the workspace stored in its objects is kept',
    answers: [
      { status: 200, description: 'Removed', body: () => InstallationAnswer },
      { status: 202, description: 'Still being removed', body: () => InstallationAnswer },
    ],
  })
  async uninstall(
    @CurrentPrincipal() principal: Principal,
    @IdParam() id: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<InstallationAnswer> {
    const installation = await this.installations.uninstall(principal, id);
    reply.status(installation.state === 'uninstalling' ? 202 : 200);
    return installation;
  }
}
