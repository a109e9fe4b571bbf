// SPDX-License-Identifier: GPL-2.0

// gosock KEEPIDLE: an echo over many connections of this program to itself; the client's sockets have
// that TCP_KEEPIDLE. With "serve PORT", "fetch HOST PORT" or "hold HOST PORT CONNECTIONS" the two ends apart; hold keeps
// its connections until its input ends.
package main

import (
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"strconv"
	"sync"
	"syscall"
)

const conns = 64

func serve(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			log.Fatal(err)
		}
		go func() {
			io.Copy(c, c)
			c.Close()
		}()
	}
}

func keepidle(c *net.TCPConn) (value int) {
	raw, err := c.SyscallConn()
	if err == nil {
		raw.Control(func(fd uintptr) {
			value, err = syscall.GetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_KEEPIDLE)
		})
	}
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func dial(address string, idle int) net.Conn {
	d := net.Dialer{KeepAlive: -1}
	c, err := d.Dial("tcp", address)
	if err != nil {
		log.Fatal(err)
	}
	if idle != 0 && keepidle(c.(*net.TCPConn)) != idle {
		log.Fatalf("keepidle is %d", keepidle(c.(*net.TCPConn)))
	}
	answer := make([]byte, 5)
	if _, err = c.Write([]byte("hello")); err == nil {
		_, err = io.ReadFull(c, answer)
	}
	if err != nil || string(answer) != "hello" {
		log.Fatal("no echo: ", err)
	}
	return c
}

func fetch(address string, idle int) {
	dial(address, idle).Close()
}

func hold(address string, n int) {
	var held []net.Conn
	for i := 0; i < n; i++ {
		held = append(held, dial(address, 0))
	}
	fmt.Println("up")
	io.Copy(io.Discard, os.Stdin)
	for _, c := range held {
		c.Close()
	}
}

func many(address string, idle int) {
	var all sync.WaitGroup
	for i := 0; i < conns; i++ {
		all.Add(1)
		go func() {
			fetch(address, idle)
			all.Done()
		}()
	}
	all.Wait()
}

func main() {
	address := "127.0.0.1:0"
	if os.Args[1] == "fetch" {
		many(net.JoinHostPort(os.Args[2], os.Args[3]), 0)
		return
	}
	if os.Args[1] == "hold" {
		n, err := strconv.Atoi(os.Args[4])
		if err != nil {
			log.Fatal(err)
		}
		hold(net.JoinHostPort(os.Args[2], os.Args[3]), n)
		return
	}
	if os.Args[1] == "serve" {
		address = ":" + os.Args[2]
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		log.Fatal(err)
	}
	if os.Args[1] == "serve" {
		serve(l)
	}
	go serve(l)
	idle, _ := strconv.Atoi(os.Args[1])
	many(l.Addr().String(), idle)
}
