import { Module } from '@nestjs/common';
import { AuthorizationModule } from 'rookery/authorization';
import { DemoController } from './demo.controller.js';
import { DemoVisitors } from './demo-visitors.js';

/** A demo in development, at `/`: a page whose visitors talk to each other. */
@Module({
  imports: [AuthorizationModule.forRoot({ paths: { channels: '/demo/auth' } })],
  controllers: [DemoController],
  providers: [DemoVisitors],
})
export class DemoModule {}
