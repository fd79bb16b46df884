import Pusher from 'pusher-js';
import { createApp } from 'vue';
import { clientKey } from '@rookery/client/vue';
import Room from './Room.vue';

const pusher = new Pusher(key, options);

createApp(Room, { name: 'kitchen' }).provide(clientKey, pusher).mount('#app');
