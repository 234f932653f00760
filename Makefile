# A thin front of ./dev, for fingers that type make.

.PHONY: install demo test check bench soak packages clean

install demo test check bench soak packages clean:
	@./dev $@ $(ARGS)
