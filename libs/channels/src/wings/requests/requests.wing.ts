import { CallingModule, HostMethods } from '#http';
import { ChannelsSettings } from '../../channels.options.js';
import type { Wing } from '../wing.js';
import { AnswerMessages } from './answer.message.js';
import { ClientRequests } from './client-requests.js';
import { ClientsService } from './clients.service.js';
import { PageQuestions } from './page-questions.js';
import { RememberedReplies } from './remembered-replies.js';
import { RequestBudgets } from './request-budgets.js';
import { RequestEndpoints } from './request-endpoints.js';
import { RequestMessages } from './request.message.js';
import { RequestMethods } from './request-methods.js';
import { RequestRecords } from './request-records.js';

const callingModule = {
  provide: CallingModule,
  inject: [ChannelsSettings],
  useFactory: ({ globalInterceptors }: ChannelsSettings) =>
    new CallingModule('ChannelsModule', 'isRequestMethod(context)', globalInterceptors),
};

/** Clients ask, and methods of the host or endpoints of the app answer; hosts ask, and pages answer (docs/requests.md). */
export const requests = {
  providers: [
    callingModule,
    HostMethods,
    RequestMethods,
    RequestEndpoints,
    RequestBudgets,
    RequestRecords,
    RememberedReplies,
    ClientRequests,
    PageQuestions,
    ClientsService,
  ],
  exports: [ClientsService],
  messages: [RequestMessages, AnswerMessages],
} satisfies Wing;
