// SPDX-License-Identifier: Apache-2.0
/**
 * The calls of HDFS's client that the store uses, and the threads that wait for them. Failures at the NameNode or a
 * DataNode are thrown as the exceptions that they were there. Entry:
 * {@link org.talos.server.storage.hdfs.client.HdfsCalls}.
 */
@NullMarked
package org.talos.server.storage.hdfs.client;

import org.jspecify.annotations.NullMarked;
