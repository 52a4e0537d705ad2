import { Public } from '@crm/access';
import { Describe } from '@crm/http';
import { MergedDocument } from '@crm/runtime/proxy';
import {
  type CanActivate,
  Controller,
  type ExecutionContext,
  Get,
  Header,
  Injectable,
  UseGuards,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RateLimitService } from '../admission/rate-limit.service.js';

/** Calls that the gateway answers itself never reach the checks of the proxy. */
@Injectable()
export class AddressLimitGuard implements CanActivate {
  constructor(private readonly limits: RateLimitService) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    await this.limits.admitAddress(http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
    return true;
  }
}

/** The page that shows the document comes from `@crm/http`, as at every edge. */
@Controller('api/openapi.json')
export class ApiDocumentController {
  constructor(private readonly documents: MergedDocument) {}

  @Get()
  @Public()
  @UseGuards(AddressLimitGuard)
  @Header('content-type', 'application/json; charset=utf-8')
  @Describe({ summary: 'Get the OpenAPI document', hidden: true })
  read(): Promise<string> {
    return this.documents.get();
  }
}
