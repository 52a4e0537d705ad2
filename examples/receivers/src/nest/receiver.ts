import 'reflect-metadata';
import { verifyWebhook, WebhookVerificationError } from '@crm/sdk';
import {
  type ArgumentsHost,
  Catch,
  Controller,
  type ExceptionFilter,
  HttpCode,
  Module,
  Post,
  type RawBodyRequest,
  Req,
  UseFilters,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Request, Response } from 'express';
import { handleEvent } from '../handle-event.js';
import { HandledEvents } from '../handled-events.js';
import { readSettings } from '../settings.js';

const { secrets, port } = readSettings();

@Catch(WebhookVerificationError)
class WebhookVerificationFilter implements ExceptionFilter<WebhookVerificationError> {
  catch(error: WebhookVerificationError, host: ArgumentsHost): void {
    console.warn(`refused: ${error.message}`);
    host.switchToHttp().getResponse<Response>().status(error.httpStatus).json({ reason: error.reason });
  }
}

@Controller('webhooks/crm')
@UseFilters(WebhookVerificationFilter)
class WebhookController {
  private readonly handled = new HandledEvents();

  @Post()
  @HttpCode(204)
  async receive(@Req() request: RawBodyRequest<Request>): Promise<void> {
    const event = verifyWebhook(request.rawBody, request.headers, secrets);
    await this.handled.once(event.id, () => handleEvent(event));
  }
}

@Module({ controllers: [WebhookController] })
class AppModule {}

// rawBody keeps the bytes in request.rawBody; Nest goes on parsing them for @Body().
const app = await NestFactory.create<NestExpressApplication>(AppModule, { rawBody: true, logger: ['warn', 'error'] });
app.useBodyParser('json', { limit: '1mb' });
await app.listen(port, '127.0.0.1');
console.log(`listening on port ${new URL(await app.getUrl()).port}`);
