// SPDX-License-Identifier: Apache-2.0
/** Runs tasks a few at a time, so that a page with many rows does not ask the server for all of them at once. */

/** @return takes a function that begins a task, and answers its promise; so many run at once, the others wait */
export function limited(atOnce) {
    const waiting = [];
    let running = 0;
    const next = () => {
        if (running < atOnce && waiting.length > 0) {
            running++;
            const {begin, resolve, reject} = waiting.shift();
            begin().then(resolve, reject).finally(() => {
                running--;
                next();
            });
        }
    };
    return begin => new Promise((resolve, reject) => {
        waiting.push({begin, resolve, reject});
        next();
    });
}
