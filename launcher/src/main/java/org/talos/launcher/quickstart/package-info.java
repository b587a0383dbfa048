/**
 * The first five minutes: a server, a topic, thousands of messages in and out, each compared. Entry:
 * {@link org.talos.launcher.quickstart.QuickstartCommand}. Its threads are its own and end with each phase.
 */
@NullMarked
package org.talos.launcher.quickstart;

import org.jspecify.annotations.NullMarked;
