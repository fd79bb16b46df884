export { default as PusherJs } from 'pusher-js';
