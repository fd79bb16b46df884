import Pusher from 'pusher-js/worker';
import { serveTabs } from '@rookery/client';

serveTabs(Pusher);
