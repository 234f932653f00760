# A thin front of ./dev, for fingers that type make.

.PHONY: install demo test check bench soak clean

install demo test check bench soak clean:
	@./dev $@ $(ARGS)
