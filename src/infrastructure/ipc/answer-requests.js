// JavaScript, so that a process that is started from the sources can use it.

/**
 * Answers the requests that `Requests` sends from the other end of a channel. Ignores other messages.
 * @template Body, Answer
 * @param {import('./requests.js').Channel} channel
 * @param {(body: Body) => Promise<Answer>} answer when it rejects, the other end gets the error's message
 * @returns {() => void} stops answering
 */
export function answerRequests(channel, answer) {
  const onMessage = async (/** @type {import('./requests.js').Message} */ message) => {
    if (!('request' in message)) return;
    const reply = await answer(/** @type {Body} */ (message.body)).then(
      (value) => ({ reply: message.request, value }),
      (/** @type {Error} */ error) => ({ reply: message.request, error: error.message }),
    );
    if (channel.connected) channel.send?.(reply, undefined, undefined, () => undefined);
  };
  channel.on('message', onMessage);
  return () => channel.off('message', onMessage);
}
