import { Module } from '@nestjs/common';
import { ObjectModule } from '../object/object.module.js';
import { ShareController } from './share.controller.js';
import { ShareRepository } from './share.repository.js';
import { ShareService } from './share.service.js';

/** Objects of an app that an administrator shares with other apps. */
@Module({
  imports: [ObjectModule],
  controllers: [ShareController],
  providers: [ShareRepository, ShareService],
})
export class ShareModule {}
