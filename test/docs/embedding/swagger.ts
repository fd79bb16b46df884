import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { withRookeryRoutes } from 'rookery/channels';

export function documented(app: INestApplication) {
  const config = new DocumentBuilder().setTitle('Shop').setOpenAPIVersion('3.1.0').build();
  const document = withRookeryRoutes(SwaggerModule.createDocument(app, config), app);
  return document;
}
