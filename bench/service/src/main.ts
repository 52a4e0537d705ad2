// Everything a service of the platform has, around one route that does nothing.
import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ListQuery } from '@crm/http';
import { MessagingModule } from '@crm/messaging';
import { serviceConfig, startService } from '@crm/runtime';
import { Controller, Get, Module, Query } from '@nestjs/common';

@Controller('api/auth/constant')
class ConstantController {
  @Get()
  @Access({ right: 'read', scope: 'leads' })
  read(@Query() { size }: ListQuery, @CurrentPrincipal() { userId }: Principal): object {
    return { id: userId, name: 'Ada Lovelace', email: 'ada@example.com', size };
  }
}

@Module({})
class MeasuredModule {}

const service = serviceConfig('custom-objects');
const imports = [MessagingModule.forService({ config: service.nats })];
await startService({ service }, { module: MeasuredModule, imports, controllers: [ConstantController] });
