import { Module } from '@nestjs/common';
import { AccountPageController } from './account-page.controller.js';
import { AccountPageService } from './account-page.service.js';

@Module({ controllers: [AccountPageController], providers: [AccountPageService] })
export class AccountPageModule {}
