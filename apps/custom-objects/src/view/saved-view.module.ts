import { Module } from '@nestjs/common';
import { ObjectModule } from '../object/object.module.js';
import { SavedViewController } from './saved-view.controller.js';
import { SavedViewRepository } from './saved-view.repository.js';
import { SavedViewService } from './saved-view.service.js';

@Module({
  imports: [ObjectModule],
  controllers: [SavedViewController],
  providers: [SavedViewRepository, SavedViewService],
})
export class SavedViewModule {}
