import { Public } from '@crm/access';
import { PAGE_PATHS } from '@crm/contracts';
import { Describe, newNonce, ServedPage } from '@crm/http';
import { Controller, Get, Header, Headers, Inject, Injectable, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js';

@Injectable()
export class ConsoleService extends ServedPage {
  constructor(@Inject(GATEWAY_CONFIG) { consoleDir }: GatewayConfig) {
    super(consoleDir, 'CONSOLE_DIR');
  }
}

/**
 * Only this address is called, so that nothing can hand on what a page holds (tokens of mails, passwords, approvals), and no
 * script runs but its files. The nonce is for the style elements that they make.
 * @param nonce of this one document
 */
const policyWith = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/**
 * The console: one document at each of its addresses, which reads the address itself. A GET changes nothing: programs that scan
 * mails follow their links, and the token of a mail is in the fragment, which is not sent.
 */
@Controller()
export class ConsoleController {
  constructor(
    private readonly page: ConsoleService,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
  ) {}

  @Get('assets/:name')
  @Public()
  @Describe({ summary: 'Get a script or style of the console', hidden: true })
  asset(
    @Param('name') name: string,
    @Headers('accept-encoding') accepted: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Buffer {
    return this.page.sendAsset(name, accepted, reply);
  }

  /** Not stored, also not by a browser for its button to go back: each document has a nonce of its own. It says the profile, by which demo sign-ins are offered or not. */
  @Get([...PAGE_PATHS])
  @Public()
  @Header('Content-Type', 'text/html; charset=utf-8')
  @Header('Cache-Control', 'no-store')
  @Describe({ summary: 'Get the console', hidden: true })
  document(@Res({ passthrough: true }) reply: FastifyReply): string {
    const nonce = newNonce();
    reply.header('Content-Security-Policy', policyWith(nonce));
    return this.page.documentWith({ nonce, 'data-profile': this.config.service.profile });
  }
}
